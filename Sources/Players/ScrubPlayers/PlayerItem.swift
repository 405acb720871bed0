internal import ScrubBase

/// An item of a player's playlist: a medium, and how to play it.
///
/// An item's identity is separate from its medium's. To include a video in a list twice, use two items with the same
/// ``PlayerMedia``.
public struct PlayerItem: Identifiable, Sendable {
    /// The identity of an item, used in events and in the access log.
    ///
    /// It is encoded as an integer. The number is valid in one process only; another process assigns the same numbers
    /// to other items.
    public struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
        package let value: Int
        package init(_ value: Int) { self.value = value }

        /// Decodes an identity from an integer.
        public init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }

        /// Encodes the identity as an integer.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }

        /// The identity's number.
        public var description: String { "\(value)" }
    }

    /// The item's identity in this process.
    public let id: ID
    /// The medium to play.
    public let media: PlayerMedia
    /// The number of times that the item plays before the next one. Less than 1 counts as 1. Default 1.
    public var repeatCount = 1 {
        didSet { repeatCount = max(1, repeatCount) }
    }
    /// The position at which the item begins the first time; `nil` for its first frame, or its last frame when playing
    /// backward.
    public var start: FramePosition?

    /// The app's metadata about the item, of any hashable type. Trackers receive it (``PlayerItemMetadata/app``). `nil`
    /// for none. To change it in a list, use ``Player/setMetadata(_:of:)``.
    public var metadata: ItemMetadata?

    /// The trackers that follow the item while it is current.
    public var trackers: [PlayerItemTracker] = []

    private static let numbers = Locked(0)

    /// Creates an item with a new identity.
    ///
    /// - Parameters:
    ///   - media: the medium to play.
    ///   - repeatCount: the number of times that the item plays before the next one. Less than 1 counts as 1.
    ///   - start: the position at which it begins the first time.
    ///   - metadata: the app's metadata about the item.
    ///   - trackers: the trackers that follow the item.
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

    /// Creates an item from a file.
    public init(path: String) { self.init(PlayerMedia(path: path)) }

    /// Returns a new item with the same medium.
    public func copy() -> PlayerItem {
        PlayerItem(media, repeatCount: repeatCount, start: start, metadata: metadata, trackers: trackers)
    }
}
