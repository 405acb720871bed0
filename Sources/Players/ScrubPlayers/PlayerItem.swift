internal import ScrubBase

/// An item of a player's playlist, which consists of a medium and the settings for playing it.
///
/// An item's identity is separate from its medium's. To include a video in a list twice, use two items with the same
/// ``PlayerMedia``.
public struct PlayerItem: Identifiable, Sendable {
    /// The identity of an item, used in events and in the access log.
    ///
    /// It is encoded as an integer. The number is valid only within one process. Other processes assign the same
    /// numbers to different items.
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
    /// The number of times that the item plays before the next one. Values below 1 count as 1. Default 1.
    public var playCount = 1 {
        didSet { playCount = max(1, playCount) }
    }
    /// The position at which the item starts the first time that it plays; `nil` for its first frame, or for its last
    /// frame when playing backward.
    public var start: FramePosition?

    /// The app's metadata about the item, of any hashable type; `nil` if there is none. Trackers receive it in
    /// ``PlayerItemMetadata/app``. To change the metadata of an item that is already in a list, use
    /// ``Player/setMetadata(_:of:)``.
    public var metadata: ItemMetadata?

    /// The trackers that follow the item while it is current.
    public var trackers: [PlayerItemTracker] = []

    private static let numbers = Locked(0)

    /// Creates an item with a new identity.
    ///
    /// - Parameters:
    ///   - media: the medium to play.
    ///   - playCount: the number of times that the item plays before the next one. Values below 1 count as 1.
    ///   - start: the position at which the item starts the first time that it plays.
    ///   - metadata: the app's metadata about the item.
    ///   - trackers: the trackers that follow the item.
    public init(
        _ media: PlayerMedia, playCount: Int = 1, start: FramePosition? = nil, metadata: ItemMetadata? = nil,
        trackers: [PlayerItemTracker] = []
    ) {
        id = ID(
            Self.numbers.withLock { number in
                number += 1
                return number
            })
        (self.media, self.playCount, self.start) = (media, max(1, playCount), start)
        (self.metadata, self.trackers) = (metadata, trackers)
    }

    /// Creates an item from a file.
    public init(path: String) { self.init(PlayerMedia(path: path)) }

    /// Returns a new item with the same medium and settings.
    public func copy() -> PlayerItem {
        PlayerItem(media, playCount: playCount, start: start, metadata: metadata, trackers: trackers)
    }
}
