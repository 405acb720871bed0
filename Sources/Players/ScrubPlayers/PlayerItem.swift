internal import ScrubBase

/// An item of a player's playlist: a medium, and how it is to be played.
///
/// It has an identity of its own, apart from the medium's. A film that is to be in a list twice is two items of one
/// ``PlayerMedia``.
public struct PlayerItem: Identifiable, Sendable {
    /// An item's own identity: events and the access log name items by it.
    ///
    /// It is written as a whole number. The number is of one process: another one gives the same numbers to other
    /// items.
    public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
        package let value: Int
        package init(_ value: Int) { self.value = value }

        /// Reads a number.
        public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }

        /// Writes the number.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }

        /// The number.
        public var description: String { "\(value)" }
    }

    /// Which item it is, in this process.
    public let id: ID
    /// The medium that is played.
    public let media: PlayerMedia
    /// The number of times it is shown before the next one's turn; less than 1 counts as 1. Default 1.
    public var repeatCount = 1 {
        didSet { repeatCount = max(1, repeatCount) }
    }
    /// The position at which it begins the first time; `nil` for its first frame, or backward its last.
    public var start: FramePosition?

    /// The app's knowledge of the item, in a type of its own: trackers are told it (``PlayerItemMetadata/app``). `nil`
    /// for nothing. In a list it is changed by ``Player/setMetadata(_:of:)``.
    public var metadata: ItemMetadata?

    /// The trackers that follow the item while it is the current one.
    public var trackers: [PlayerItemTracker] = []

    private static let numbers = Locked(0)

    /// Makes an item with an identity of its own.
    ///
    /// - Parameters:
    ///   - media: the medium to play.
    ///   - repeatCount: the number of times before the next one's turn; less than 1 counts as 1.
    ///   - start: the position at which it begins the first time.
    ///   - metadata: the app's knowledge of it.
    ///   - trackers: who follows it.
    public init(
        _ media: PlayerMedia, repeatCount: Int = 1, start: FramePosition? = nil, metadata: ItemMetadata? = nil,
        trackers: [PlayerItemTracker] = []
    ) {
        id = ID(
            Self.numbers.withLock { number in
                number += 1
                return number
            })
        (self.media, self.repeatCount, self.start) = (media, max(1, repeatCount), start)
        (self.metadata, self.trackers) = (metadata, trackers)
    }

    /// An item of a file.
    public init(path: String) { self.init(PlayerMedia(path: path)) }

    /// Returns the same medium as an item of its own.
    public func copy() -> PlayerItem {
        PlayerItem(media, repeatCount: repeatCount, start: start, metadata: metadata, trackers: trackers)
    }
}
