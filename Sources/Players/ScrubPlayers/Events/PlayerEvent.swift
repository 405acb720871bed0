extension Player {
    /// A player event.
    ///
    /// Subscribe to the kinds that you need. The player's properties have their new values before the event is sent.
    ///
    /// Events are `Codable`. Each is encoded as an object with the member `event`. Items are encoded as the numbers
    /// that ``AccessLog/Entry`` uses, and times as ratios such as `1001/30000`.
    ///
    /// Thread safety: a value type.
    public enum Event: Sendable, Hashable {
        /// Another item became the current one, or the same one started again.
        case itemTransition(from: PlayerItem.ID?, to: PlayerItem.ID?, reason: Player.ItemTransitionReason)
        /// The position jumped: the next frame does not follow the frame that was last on screen.
        case positionDiscontinuity(from: Player.Position, to: Player.Position, reason: Player.DiscontinuityReason)
        /// The player's state changed.
        case stateChanged(PlaybackState)
        /// An item played to its end. This event is sent whether another item follows, the same item repeats, or the
        /// list ends.
        case itemEnded(PlayerItem.ID)
        /// The list ended: its last item played to its end or was removed. With ``ActionAtItemEnd/pause``, the list
        /// stays on its last item, and this event is not sent.
        case playlistEnded
        /// A frame was due but not available. Time stops at that position.
        case stalled(Player.Position)
        /// Playback resumed after a stall of this length.
        case resumed(Player.Position, stalledDuration: Duration)
        /// Some frames were not shown since the last event of this kind.
        case framesDropped(Player.DroppedFrames)
        /// An item cannot be played, or cannot be played any further.
        case failed(PlayerItem.ID, ScrubError)
        /// The items of the playlist changed.
        case playlistChanged([PlayerItem.ID])
        /// It became likely or unlikely that enough pictures are decoded ahead to play without stalling. The duration
        /// is that of these pictures.
        case buffering(isLikelyToKeepUp: Bool, bufferedDuration: Rational)
        /// Another presenter now shows the pictures, or no presenter does.
        ///
        /// The generation increases each time that a presenter is attached.
        case presenterChanged(hasPresenter: Bool, generation: Int)
        /// Memory became scarce or is sufficient again.
        case memoryPressure(MemoryPressureMonitor.Level)
        /// This subscriber was too slow, and lost the given number of events before the next one. This event is sent
        /// regardless of the kinds that were requested.
        case overflow(count: Int)
    }
}

extension Player.Event {
    /// A set of event kinds.
    public struct Kinds: OptionSet, Sendable, Hashable {
        /// One bit for each kind.
        public let rawValue: UInt32

        /// Creates a set from its raw value.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The kind of ``Player/Event/itemTransition(from:to:reason:)``.
        public static let itemTransition = Kinds(rawValue: 1 << 0)
        /// The kind of ``Player/Event/positionDiscontinuity(from:to:reason:)``.
        public static let positionDiscontinuity = Kinds(rawValue: 1 << 1)
        /// The kind of ``Player/Event/stateChanged(_:)``. A slow consumer receives only the newest state.
        public static let state = Kinds(rawValue: 1 << 2)
        /// The kind of ``Player/Event/itemEnded(_:)``.
        public static let itemEnded = Kinds(rawValue: 1 << 3)
        /// The kind of ``Player/Event/stalled(_:)`` and ``Player/Event/resumed(_:stalledDuration:)``.
        public static let stalls = Kinds(rawValue: 1 << 4)
        /// The kind of ``Player/Event/framesDropped(_:)``. A slow consumer receives a single event with the sums.
        public static let framesDropped = Kinds(rawValue: 1 << 5)
        /// The kind of ``Player/Event/failed(_:_:)``.
        public static let failed = Kinds(rawValue: 1 << 6)
        /// The kind of ``Player/Event/playlistChanged(_:)``. A slow consumer receives only the newest list.
        public static let playlistChanged = Kinds(rawValue: 1 << 7)
        /// The kind of ``Player/Event/buffering(isLikelyToKeepUp:bufferedDuration:)``. A slow consumer receives only
        /// the newest event.
        public static let buffering = Kinds(rawValue: 1 << 8)
        /// The kind of ``Player/Event/presenterChanged(hasPresenter:generation:)``. A slow consumer receives only the
        /// newest event.
        public static let presenterChanged = Kinds(rawValue: 1 << 9)
        /// The kind of ``Player/Event/memoryPressure(_:)``. A slow consumer receives only the newest level.
        public static let memoryPressure = Kinds(rawValue: 1 << 10)
        /// The kind of ``Player/Event/overflow(count:)``, which is delivered whether or not it is requested.
        public static let overflow = Kinds(rawValue: 1 << 11)
        /// The kind of ``Player/Event/playlistEnded``.
        public static let playlistEnded = Kinds(rawValue: 1 << 12)
        /// All kinds, including those added in later versions.
        public static let all = Kinds(rawValue: .max)

        /// The kinds for which only the newest event is kept.
        static let newestOnly: Kinds = [.state, .playlistChanged, .buffering, .presenterChanged, .memoryPressure]
    }

    /// The event's kind, as a set of one element.
    public var kind: Kinds {
        switch self {
        case .itemTransition: .itemTransition
        case .positionDiscontinuity: .positionDiscontinuity
        case .stateChanged: .state
        case .itemEnded: .itemEnded
        case .playlistEnded: .playlistEnded
        case .stalled, .resumed: .stalls
        case .framesDropped: .framesDropped
        case .failed: .failed
        case .playlistChanged: .playlistChanged
        case .buffering: .buffering
        case .presenterChanged: .presenterChanged
        case .memoryPressure: .memoryPressure
        case .overflow: .overflow
        }
    }
}
