extension Player {
    /// A moment in an item.
    public struct Position: Sendable, Hashable {
        /// The item; `nil` if no item is current.
        public let item: PlayerItem.ID?
        /// The time in seconds after the item's first frame.
        public let time: Rational
        /// The number of the frame on screen at that time; `nil` if it is not known.
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
        /// A caller chose the item by going to the next, the previous or a specific item.
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
        /// An item played to its end, and the next item or a repetition of the same item begins.
        case automaticTransition
        /// A caller requested a seek.
        case seek
        /// A seek landed at a position other than the requested one.
        case seekAdjustment
        /// An item was skipped before its end.
        case skip
        /// The current item was removed.
        case remove
        /// An interruption began. The jump is from the position at which the interrupted item will resume to the
        /// beginning of the interrupting items.
        case interruptionBegan
        /// The interruption ended or was skipped. The jump is to the position at which the interrupted item resumes.
        case interruptionEnded
        /// The player itself moved to another item, because an item cannot be played.
        case `internal`
    }
}

extension Player {
    /// Counts of frames that were not shown, by reason.
    public struct DroppedFrames: Sendable, Hashable {
        /// Frames that were decoded too late to be shown.
        public var lateCount: Int
        /// Frames that were skipped before decoding, because they were not needed.
        public var skippedBeforeDecodingCount: Int
        /// Frames that were skipped because decoding resumed at a later restart.
        public var jumpedCount: Int

        /// Creates a set of counts.
        public init(lateCount: Int = 0, skippedBeforeDecodingCount: Int = 0, jumpedCount: Int = 0) {
            (self.lateCount, self.jumpedCount) = (lateCount, jumpedCount)
            self.skippedBeforeDecodingCount = skippedBeforeDecodingCount
        }

        /// The sum of all counts.
        public var totalCount: Int { lateCount + skippedBeforeDecodingCount + jumpedCount }

        /// Returns the sum of both counts.
        public static func + (a: DroppedFrames, b: DroppedFrames) -> DroppedFrames {
            DroppedFrames(
                lateCount: a.lateCount + b.lateCount,
                skippedBeforeDecodingCount: a.skippedBeforeDecodingCount + b.skippedBeforeDecodingCount,
                jumpedCount: a.jumpedCount + b.jumpedCount)
        }
    }
}
