extension Player {
    /// A moment in an item.
    public struct Position: Sendable, Hashable {
        /// The item; `nil` if no item is current.
        public let item: PlayerItem.ID?
        /// Seconds after the item's first frame.
        public let time: Rational
        /// The frame on screen at that time; `nil` if it is not known.
        public let frame: Int?

        /// Creates a position.
        public init(item: PlayerItem.ID?, time: Rational, frame: Int? = nil) {
            (self.item, self.time, self.frame) = (item, time, frame)
        }
    }
}

extension Player {
    /// The reason why another item became the current one.
    public enum ItemTransitionReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// The previous item played to its end.
        case automatic
        /// The same item plays again.
        case `repeat`
        /// A caller chose the item: next, previous, or a seek to another item.
        case seek
        /// The playlist changed, and the previous item was removed from it, or there was no previous item.
        case playlistChanged
        /// The previous item cannot be played.
        case failure
        /// Items interrupt the previous one, which resumes afterward.
        case interruptionBegan
        /// The interruption ended or was skipped. The interrupted item resumes where it was.
        case interruptionEnded
    }
}

extension Player {
    /// The reason for a jump in position.
    public enum DiscontinuityReason: String, Sendable, Hashable, Codable, CaseIterable {
        /// An item played to its end, and the next one, or the same one again, begins.
        case automaticTransition
        /// A caller requested a seek.
        case seek
        /// A seek landed at a different position from the requested one.
        case seekAdjustment
        /// An item was skipped before its end.
        case skip
        /// The current item was removed.
        case remove
        /// An interruption began. The jump is from where the interrupted item later resumes to where the interrupting
        /// items begin.
        case interruptionBegan
        /// The interruption ended or was skipped. The jump is to where the interrupted item resumes.
        case interruptionEnded
        /// The player's own reasons: an item cannot be played, and another one replaces it.
        case `internal`
    }
}

extension Player {
    /// Counts of frames that were not shown, by reason.
    public struct DroppedFrames: Sendable, Hashable {
        /// Frames that were decoded too late to be shown.
        public var late: Int
        /// Frames that were skipped before decoding, because they were not needed.
        public var skippedBeforeDecoding: Int
        /// Frames that were skipped by a jump to a later restart.
        public var jumped: Int

        /// Creates counts.
        public init(late: Int = 0, skippedBeforeDecoding: Int = 0, jumped: Int = 0) {
            (self.late, self.skippedBeforeDecoding, self.jumped) = (late, skippedBeforeDecoding, jumped)
        }

        /// The sum of all counts.
        public var total: Int { late + skippedBeforeDecoding + jumped }

        /// Returns the sum of both counts.
        public static func + (a: DroppedFrames, b: DroppedFrames) -> DroppedFrames {
            DroppedFrames(
                late: a.late + b.late, skippedBeforeDecoding: a.skippedBeforeDecoding + b.skippedBeforeDecoding,
                jumped: a.jumped + b.jumped)
        }
    }
}
