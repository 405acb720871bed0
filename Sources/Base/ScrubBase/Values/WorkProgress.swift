/// The progress of a piece of work.
///
/// Long-running functions call their `progress:` closure with values of this type, on the thread that does the work. A
/// slow closure delays the work. The last call reports that all of the work is done, unless the work failed or was
/// cancelled.
///
/// Thread safety: a value type.
public struct WorkProgress: Hashable, Sendable {
    /// The unit in which the progress is counted.
    public enum Unit: Hashable, Sendable, CaseIterable {
        /// Bytes of the file.
        case bytes
        /// Frames of the video.
        case frames
        /// Decoded pictures.
        case pictures
        /// Thumbnails of a sheet, strip or set.
        case thumbnails
        /// Thumbnail sets.
        case sets
    }

    /// The number of completed units, 0 or more.
    public let completed: Int64
    /// The total number of units, at least ``completed``; `nil` if it is not known yet. The total may grow while the
    /// amount of work is being determined.
    public let total: Int64?
    /// The unit in which the progress is counted.
    public let unit: Unit

    /// The completed fraction of the work, from 0 to 1, for display; `nil` if the total is not known.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? Double(completed) / Double(total) : 1
    }

    /// Creates a value. Counts below 0 become 0, and a total below `completed` becomes `completed`.
    package init(_ completed: some BinaryInteger, of total: (some BinaryInteger)?, _ unit: Unit) {
        self.completed = max(0, Int64(clamping: completed))
        self.total = total.map { max(max(0, Int64(clamping: completed)), Int64(clamping: $0)) }
        self.unit = unit
    }
}
