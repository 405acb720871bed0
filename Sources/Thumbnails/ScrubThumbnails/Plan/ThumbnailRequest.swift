extension ThumbnailPlan {
    /// A request for thumbnails of a video.
    public struct Request: Hashable, Sendable {
        /// The positions of thumbnails.
        public enum Places: Hashable, Sendable {
            /// The given number of evenly spaced thumbnails, 1 to 100,000: number i represents the time (i + 1/2) *
            /// duration / count.
            case count(Int)
            /// One thumbnail per interval in seconds, more than 0, from the start: number i represents the time i *
            /// interval.
            case every(Rational)
            /// Exactly these positions, sorted by time. Positions that name the same frame share a thumbnail, and
            /// ``ThumbnailPlan/slotOfPosition`` finds it for each.
            case at([FramePosition])
            /// One for each scene, shown from the scene's start to its end, as found by
            /// ``VideoAsset/scenes(options:progress:)``.
            case sceneChanges([VideoScene])
        }

        /// The allowed distance of a thumbnail's picture from its position.
        public enum Tolerance: Hashable, Sendable {
            /// The frame on screen at the time, and no other.
            case exact
            /// The nearest key picture within the thumbnail's own time, from its start to its end. If there is none,
            /// the nearest key picture at any distance (``ThumbnailPlan/Slot/isOutside``). Only key pictures are
            /// decoded. For positions, always the nearest key picture.
            case keyframe
            /// The cheapest picture within the thumbnail's own time that is at most this many seconds away, 0 or more.
            /// It differs from the previous thumbnail's picture if that costs little.
            case within(Rational)
            /// The cheapest picture within the thumbnail's own time, from its start to its end. If key pictures are at
            /// most an interval apart, only they are used, and all thumbnails differ. Otherwise it costs at most as
            /// much as ``exact``. Positions and scenes have no interval, so for them it equals ``exact``.
            case automatic
        }

        /// The positions of thumbnails.
        public var places: Places
        /// The allowed distance of the pictures from their positions.
        public var tolerance: Tolerance

        /// Creates a request.
        public init(_ places: Places, tolerance: Tolerance = .exact) {
            (self.places, self.tolerance) = (places, tolerance)
        }
    }
}

/// A plan with a picture for each thumbnail and the cost, computed from the index before decoding.
public struct ThumbnailPlan: Hashable, Sendable {
    /// A thumbnail in a plan.
    public struct Slot: Hashable, Sendable {
        /// The slot's number, from 0.
        public let index: Int
        /// The time that the thumbnail represents, in seconds after the first frame.
        public let requested: Rational
        /// The time from which players show it.
        public let start: Rational
        /// The time until which players show it.
        public let end: Rational
        /// The frame on screen at ``requested``.
        public let requestedFrame: Int
        /// The frame that the thumbnail shows.
        public let frame: Int
        /// The time at which that frame appears on screen, in seconds after the first frame.
        public let time: Rational
        /// Whether the frame is never on screen from ``start`` to ``end``. Players then show it for a different part of
        /// the video. This only happens with ``Request/Tolerance/keyframe``, if the slot has no key picture.
        public let isOutside: Bool
        /// Whether the slot shows the same frame as the previous one.
        public let isRepeat: Bool
    }

    /// The thumbnails, by time.
    public let slots: [Slot]
    /// For each position of ``ThumbnailPlan/Request/Places/at(_:)``, in the requested order, the slot that shows it.
    /// Otherwise, each slot's own number.
    public let slotOfPosition: [Int]
    /// The number of coded pictures to give to decoders.
    public let decodedPictureCount: Int
    /// The size of those pictures in the file, in bytes.
    public let byteCount: Int64
    /// The requested distance of a picture from its time.
    public let tolerance: ThumbnailPlan.Request.Tolerance
    /// The number of groups of pictures to decode from. They are decoded in parallel.
    public let groupCount: Int

    /// The number of different frames shown.
    public var frameCount: Int { Set(slots.map(\.frame)).count }
    /// The number of thumbnails that show a different frame from the one at their time.
    public var approximateCount: Int { slots.count { $0.frame != $0.requestedFrame } }
    /// The maximum distance in seconds between a picture's time and its thumbnail's, over the thumbnails that
    /// ``approximateCount`` counts.
    public var farthest: Rational {
        slots.reduce(.zero) { most, slot in
            guard slot.frame != slot.requestedFrame else { return most }
            return max(most, slot.time.subtracting(slot.requested)?.magnitude ?? .zero)
        }
    }
    /// A human-readable note about the number of pictures that are not at their exact times, and their distance; `nil`
    /// if all are.
    public var approximationNote: String? {
        guard approximateCount > 0 else { return nil }
        let milliseconds = farthest.scaledDown(1000)
        let distance = "\(milliseconds / 1000)." + PlainText.padded(Int(clamping: milliseconds % 1000), to: 3)
        let count = slots.count == approximateCount ? "all" : "\(approximateCount)"
        let verb = slots.count == 1 ? "shows" : "show"
        let nearest = tolerance == .keyframe ? "key picture" : "picture that is cheap to decode"
        let outside = outsideCount > 0 ? "; \(outsideCount) from outside the time in which players show it" : ""
        return
            "\(slots.count == 1 ? "it" : "\(count) of \(slots.count)") \(verb) the nearest \(nearest), at most \(distance) s away\(outside)"
    }
    /// The number of thumbnails whose frame is outside their own slot.
    public var outsideCount: Int { slots.count(where: \.isOutside) }
    /// The number of thumbnails that show the same frame as the previous one.
    public var repeatCount: Int { slots.count(where: \.isRepeat) }
}
