/// The display order of a stream and the timeline of its positions.
package struct Presentation: Sendable, Equatable {
    /// The coded pictures that show something, in display order.
    package var displayOrder: [UInt32]
    /// The times of the presented frames, if the container's times cannot be used unchanged.
    package var repairedTimes: [Int64]?
    /// The duration of the last frame, in time base units.
    package var lastDuration: Int64

    package init(displayOrder: [UInt32], repairedTimes: [Int64]?, lastDuration: Int64) {
        self.displayOrder = displayOrder
        self.repairedTimes = repairedTimes
        self.lastDuration = lastDuration
    }
}
