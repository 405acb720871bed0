/// The display order of a stream and the timeline that positions are counted on.
package struct Presentation: Sendable, Equatable {
    /// Coded pictures that show something, in display order.
    package var displayOrder: [UInt32]
    /// Times of the presented frames where the container's cannot be used as they are.
    package var repairedTimes: [Int64]?
    /// Time base units that the last frame stays.
    package var lastDuration: Int64

    package init(displayOrder: [UInt32], repairedTimes: [Int64]?, lastDuration: Int64) {
        self.displayOrder = displayOrder
        self.repairedTimes = repairedTimes
        self.lastDuration = lastDuration
    }
}
