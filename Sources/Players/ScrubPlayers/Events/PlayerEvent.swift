extension Player {
    /// An event in a player.
    ///
    /// Subscribe to the kinds that you need. Everything that an event tells is done before it is sent: the player's
    /// properties have their new values already.
    ///
    /// Events are `Codable`: an object with the member `event`, items by their numbers as in ``AccessLog/Entry``, and
    /// times as ratios such as `1001/30000`.
    ///
    /// Thread safety: a value.
    public enum Event: Sendable, Hashable {
        /// Another item is the current one now, or the same one began again.
        case itemTransition(from: PlayerItem.ID?, to: PlayerItem.ID?, reason: Player.ItemTransitionReason)
        /// The position jumped: the next frame does not follow the last one on screen.
        case positionDiscontinuity(from: Player.Position, to: Player.Position, reason: Player.DiscontinuityReason)
        /// The player is in another state.
        case stateChanged(PlaybackState)
        /// An item played to its end: told each time, whether another one follows, the same one again, or nothing.
        case itemEnded(PlayerItem.ID)
        /// The list is over: its last item played to its end, or was taken out. With ``ActionAtItemEnd/pause`` the list
        /// stays where it is, and this is not told.
        case playlistEnded
        /// A frame was due and not there; time stands still at that position.
        case stalled(Player.Position)
        /// It goes on after a stall, which lasted so long.
        case resumed(Player.Position, stalledNanoseconds: Int64)
        /// Frames that were not shown, since the last event of this kind.
        case framesDropped(Player.DroppedFrames)
        /// An item cannot be played, or not any further.
        case failed(PlayerItem.ID, ScrubError)
        /// The playlist has these items now.
        case playlistChanged([PlayerItem.ID])
        /// The duration that is decoded ahead, and whether it is likely to suffice.
        case buffering(isLikelyToKeepUp: Bool, bufferedDuration: Rational)
        /// Another presenter shows the pictures now, or none does.
        ///
        /// The number grows with each claim.
        case presenterChanged(hasPresenter: Bool, generation: Int)
        /// The machine's memory has become scarce, or is sufficient again.
        case memoryPressure(MemoryPressure.Level)
        /// This subscriber was too slow: so many events that stood before the next one are gone. Comes whatever kinds
        /// are asked for.
        case overflow(count: Int)
    }
}

extension Player.Event {
    /// Kinds of events, to choose by.
    public struct Kinds: OptionSet, Sendable, Hashable {
        /// One bit for each kind.
        public let rawValue: UInt32

        /// Makes a set of its bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// ``Player/Event/itemTransition(from:to:reason:)``.
        public static let itemTransition = Kinds(rawValue: 1 << 0)
        /// ``Player/Event/positionDiscontinuity(from:to:reason:)``.
        public static let positionDiscontinuity = Kinds(rawValue: 1 << 1)
        /// ``Player/Event/stateChanged(_:)``. A late reader gets the newest state only.
        public static let state = Kinds(rawValue: 1 << 2)
        /// ``Player/Event/itemEnded(_:)``.
        public static let itemEnded = Kinds(rawValue: 1 << 3)
        /// ``Player/Event/stalled(_:)`` and ``Player/Event/resumed(_:stalledNanoseconds:)``.
        public static let stalls = Kinds(rawValue: 1 << 4)
        /// ``Player/Event/framesDropped(_:)``. A late reader gets the sum.
        public static let framesDropped = Kinds(rawValue: 1 << 5)
        /// ``Player/Event/failed(_:_:)``.
        public static let failed = Kinds(rawValue: 1 << 6)
        /// ``Player/Event/playlistChanged(_:)``. A late reader gets the newest list only.
        public static let playlistChanged = Kinds(rawValue: 1 << 7)
        /// ``Player/Event/buffering(isLikelyToKeepUp:bufferedDuration:)``. A late reader gets the newest only.
        public static let buffering = Kinds(rawValue: 1 << 8)
        /// ``Player/Event/presenterChanged(hasPresenter:generation:)``. A late reader gets the newest only.
        public static let presenterChanged = Kinds(rawValue: 1 << 9)
        /// ``Player/Event/memoryPressure(_:)``. A late reader gets the newest level only.
        public static let memoryPressure = Kinds(rawValue: 1 << 10)
        /// ``Player/Event/overflow(count:)``, which comes whether it is asked for or not.
        public static let overflow = Kinds(rawValue: 1 << 11)
        /// ``Player/Event/playlistEnded``.
        public static let playlistEnded = Kinds(rawValue: 1 << 12)
        /// Every kind there is, also those of later versions.
        public static let all = Kinds(rawValue: .max)

        /// Kinds of which only the newest counts.
        static let newestOnly: Kinds = [.state, .playlistChanged, .buffering, .presenterChanged, .memoryPressure]
    }

    /// Which kind it is: a set of one.
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
