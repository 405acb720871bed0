extension Player {
    /// A moment of an item.
    public struct Position: Sendable, Hashable {
        /// The item; `nil` if no item is current.
        public let item: PlayerItem.ID?
        /// Seconds after the item's first frame.
        public let time: Rational
        /// The frame that is on screen then; `nil` when it is not known.
        public let frame: Int?

        /// Makes a position.
        public init(item: PlayerItem.ID?, time: Rational, frame: Int? = nil) {
            (self.item, self.time, self.frame) = (item, time, frame)
        }
    }
}

extension Player {
    /// Why another item is the current one.
    public enum ItemTransitionReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The one before played to its end.
        case automatic
        /// The same one plays again.
        case `repeat`
        /// A caller chose it: next, previous, a seek to another item.
        case seek
        /// The playlist changed, and the previous item was removed from it, or there was no previous item.
        case playlistChanged
        /// The one before cannot be played.
        case failure
        /// Items interrupt the one before, which goes on afterwards.
        case interruptionBegan
        /// The interruption is over, or was left: the item that it interrupted goes on where it was.
        case interruptionEnded
    }
}

extension Player {
    /// Why the position jumped.
    public enum DiscontinuityReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// An item played to its end, and the next one, or the same one again, begins.
        case automaticTransition
        /// A caller asked for a seek.
        case seek
        /// A seek came out somewhere else than it was asked for.
        case seekAdjustment
        /// An item was left before its end.
        case skip
        /// The current item was removed.
        case remove
        /// Items interrupt: from where the interrupted item goes on later, to where they begin.
        case interruptionBegan
        /// The interruption is over, or was left: to where the interrupted item goes on.
        case interruptionEnded
        /// The player's own reasons: an item cannot be played, and another one takes its place.
        case `internal`
    }
}

extension Player {
    /// Frames that were not shown, by reason.
    public struct DroppedFrames: Sendable, Hashable {
        /// Decoded, and their time was over.
        public var late: Int
        /// Left out before decoding, because they were not needed.
        public var skippedBeforeDecoding: Int
        /// Left out by a jump to a later restart.
        public var jumped: Int

        /// Makes counts.
        public init(late: Int = 0, skippedBeforeDecoding: Int = 0, jumped: Int = 0) {
            (self.late, self.skippedBeforeDecoding, self.jumped) = (late, skippedBeforeDecoding, jumped)
        }

        /// All of them together.
        public var total: Int { late + skippedBeforeDecoding + jumped }

        /// Adds the counts of both.
        public static func + (a: DroppedFrames, b: DroppedFrames) -> DroppedFrames {
            DroppedFrames(
                late: a.late + b.late, skippedBeforeDecoding: a.skippedBeforeDecoding + b.skippedBeforeDecoding,
                jumped: a.jumped + b.jumped)
        }
    }
}
