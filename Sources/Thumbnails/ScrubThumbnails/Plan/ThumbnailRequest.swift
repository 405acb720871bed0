extension ThumbnailPlan {
    /// Which thumbnails of a video are wanted.
    public struct Request: Hashable, Sendable {
        /// The places of thumbnails.
        public enum Places: Hashable, Sendable {
            /// So many, evenly, 1 to 100,000: number i stands for the time (i + 1/2) * duration / count.
            case count(Int)
            /// One every so many seconds, more than 0, from the beginning on: number i stands for the time i *
            /// interval.
            case every(Rational)
            /// Exactly these, by time; of several that name one frame there is one thumbnail, and
            /// ``ThumbnailPlan/slotOfPosition`` finds it for each.
            case at([FramePosition])
            /// One for each scene, shown from the scene's beginning to its end, as ``VideoAsset/scenes(_:progress:)``
            /// found them.
            case sceneChanges([VideoScene])
        }

        /// The allowed distance of a thumbnail's picture from the place that it stands for.
        public enum Tolerance: Hashable, Sendable {
            /// The frame on screen at the time, and no other.
            case exact
            /// The nearest key picture within the thumbnail's own time, from its start to its end. If there is none,
            /// the nearest key picture at any distance (``ThumbnailPlan/Slot/isOutside``). Nothing else is decoded. For
            /// positions, always the nearest key picture.
            case keyframe
            /// The cheapest picture within the thumbnail's own time that is at most this many seconds away, 0 or more.
            /// It differs from the previous thumbnail's picture if that costs little.
            case within(Rational)
            /// The cheapest picture within the thumbnail's own time, from its start to its end. If key pictures are at
            /// most an interval apart, only they are used, and all thumbnails differ. Otherwise it costs at most as
            /// much as ``exact``. Positions and scenes have no interval, so for them it equals ``exact``.
            case automatic
        }

        /// The places of thumbnails.
        public var places: Places
        /// The allowed distance of their pictures from there.
        public var tolerance: Tolerance

        /// Makes a request.
        public init(_ places: Places, tolerance: Tolerance = .exact) {
            (self.places, self.tolerance) = (places, tolerance)
        }
    }
}

/// The picture of each thumbnail, and the cost: made from the index, before anything is decoded.
public struct ThumbnailPlan: Hashable, Sendable {
    /// One thumbnail.
    public struct Slot: Hashable, Sendable {
        /// Its number, from 0.
        public let index: Int
        /// The time that it stands for, in seconds after the first frame.
        public let requested: Rational
        /// The time from which players show it.
        public let start: Rational
        /// The time until which players show it.
        public let end: Rational
        /// The frame on screen at ``requested``.
        public let requestedFrame: Int
        /// The frame that it shows.
        public let frame: Int
        /// The time at which that frame comes on screen, in seconds after the first frame.
        public let time: Rational
        /// Whether the frame is never on screen from ``start`` to ``end``. Players then show it for a different part of
        /// the video. This only happens with ``Request/Tolerance/keyframe``, if the slot has no key picture.
        public let isOutside: Bool
        /// Whether the slot shows the same frame as the one before it.
        public let isRepeat: Bool
    }

    /// The thumbnails, by time.
    public let slots: [Slot]
    /// For each position of ``ThumbnailPlan/Request/Places/at(_:)``, in the order in which they were asked for, the
    /// slot that shows it. For other places it is each slot's own number.
    public let slotOfPosition: [Int]
    /// Coded pictures that are given to decoders.
    public let decodedPictures: Int
    /// Their bytes in the file.
    public let byteCount: Int64
    /// The requested distance of a picture from its time.
    public let tolerance: ThumbnailPlan.Request.Tolerance
    /// Groups of pictures that are begun; they are decoded side by side.
    public let groupCount: Int

    /// Different frames that are shown.
    public var frameCount: Int { Set(slots.map(\.frame)).count }
    /// Thumbnails that show another frame than the one at their time.
    public var approximateCount: Int { slots.count { $0.frame != $0.requestedFrame } }
    /// The greatest distance in seconds of a picture's time from the thumbnail's, among ``approximateCount``.
    public var farthest: Rational {
        slots.reduce(.zero) { most, slot in
            guard slot.frame != slot.requestedFrame else { return most }
            return max(most, slot.time.subtracting(slot.requested)?.magnitude ?? .zero)
        }
    }
    /// The number of pictures that are not those of their times, and their distance, for people; `nil` if all are.
    public var nearness: String? {
        guard approximateCount > 0 else { return nil }
        let milliseconds = farthest.scaledDown(1000)
        let distance = "\(milliseconds / 1000)." + PlainText.padded(Int(clamping: milliseconds % 1000), to: 3)
        let count = slots.count == approximateCount ? "all" : "\(approximateCount)"
        let verb = slots.count == 1 ? "shows" : "show"
        let nearest = tolerance == .keyframe ? "key picture" : "picture that costs little"
        let outside = outsideCount > 0 ? "; \(outsideCount) from outside the time that players show it for" : ""
        return
            "\(slots.count == 1 ? "it" : "\(count) of \(slots.count)") \(verb) the nearest \(nearest), at most \(distance) s from the time\(outside)"
    }
    /// The number of thumbnails whose frame is outside their own time.
    public var outsideCount: Int { slots.count(where: \.isOutside) }
    /// Thumbnails that show the same frame as the one before.
    public var repeatCount: Int { slots.count(where: \.isRepeat) }
}
