extension ThumbnailPlan {
    /// A request for thumbnails of a video.
    public struct Request: Hashable, Sendable {
        /// The positions of thumbnails.
        public enum Positions: Hashable, Sendable {
            /// The given number of evenly spaced thumbnails, 1 to 100,000: thumbnail i represents the time (i + 1/2) *
            /// duration / count.
            case count(Int)
            /// One thumbnail per interval, given in seconds and more than 0, from the start: thumbnail i represents the
            /// time i * interval.
            case every(Rational)
            /// Exactly these positions, in chronological order. Positions that name the same frame share a thumbnail.
            /// ``ThumbnailPlan/slotIndices`` contains the slot of each position.
            case at([FramePosition])
            /// One for each scene, shown from the scene's start to its end, as found by
            /// ``VideoAsset/scenes(options:progress:)``.
            case scenes([VideoScene])
        }

        /// How far a thumbnail's picture may be from the thumbnail's position.
        public enum Tolerance: Hashable, Sendable {
            /// Only the frame that is on screen at the thumbnail's time.
            case exact
            /// The nearest key picture within the thumbnail's time span. If there is none, the nearest key picture at
            /// any distance (``ThumbnailPlan/Slot/isOutside``). Only key pictures are decoded. For positions, this is
            /// always the nearest key picture.
            case keyframe
            /// The picture within the thumbnail's time span that is cheapest to decode and at most this many seconds
            /// away, 0 or more. It differs from the previous thumbnail's picture if this costs little.
            case within(Rational)
            /// The picture within the thumbnail's time span that is cheapest to decode. If key pictures are at most an
            /// interval apart, only key pictures are used, and all thumbnails differ. Otherwise, the cost is at most
            /// that of ``exact``. Positions and scenes have no interval, so for them this case is the same as
            /// ``exact``.
            case automatic
        }

        /// The positions of thumbnails.
        public var positions: Positions
        /// How far the pictures may be from their positions.
        public var tolerance: Tolerance

        /// Creates a request.
        public init(_ positions: Positions, tolerance: Tolerance = .exact) {
            (self.positions, self.tolerance) = (positions, tolerance)
        }
    }
}

/// A plan for making thumbnails, with the frame for each thumbnail and the total cost. It is computed from the index,
/// without decoding anything.
public struct ThumbnailPlan: Hashable, Sendable {
    /// A thumbnail in a plan.
    public struct Slot: Hashable, Sendable {
        /// The zero-based number of the slot.
        public let index: Int
        /// The time that the thumbnail represents, in seconds after the first frame.
        public let requestedTime: Rational
        /// The time at which players begin to show the thumbnail.
        public let start: Rational
        /// The time at which players stop showing the thumbnail.
        public let end: Rational
        /// The number of the frame that is on screen at ``requestedTime``.
        public let requestedFrameNumber: Int
        /// The number of the frame that the thumbnail shows.
        public let frameNumber: Int
        /// The time at which that frame appears on screen, in seconds after the first frame.
        public let time: Rational
        /// Whether the frame is not on screen at any time from ``start`` to ``end``, so that players show it for a
        /// different part of the video. This happens only with ``Request/Tolerance/keyframe``, if the slot has no key
        /// picture.
        public let isOutside: Bool
        /// Whether the slot shows the same frame as the previous one.
        public let isRepeat: Bool
    }

    /// The thumbnails, in chronological order.
    public let slots: [Slot]
    /// With ``ThumbnailPlan/Request/Positions/at(_:)``, the number of the slot for each position, in the requested
    /// order. Otherwise, the numbers of all slots.
    public let slotIndices: [Int]
    /// The number of coded pictures that must be decoded.
    public let decodedPictureCount: Int
    /// The size of these pictures in the file, in bytes.
    public let byteCount: Int64
    /// How far a picture may be from its thumbnail's position, as requested.
    public let tolerance: ThumbnailPlan.Request.Tolerance
    /// The number of groups of pictures that contain these pictures. Groups are decoded in parallel.
    public let groupCount: Int

    /// The number of different frames that the thumbnails show.
    public var frameCount: Int { Set(slots.map(\.frameNumber)).count }
    /// The number of thumbnails that show a frame other than the one on screen at their time.
    public var approximateCount: Int { slots.count { $0.frameNumber != $0.requestedFrameNumber } }
    /// The maximum distance, in seconds, between a thumbnail's time and the time of the frame that it shows, among the
    /// thumbnails counted by ``approximateCount``.
    public var maximumDistance: Rational {
        slots.reduce(.zero) { most, slot in
            guard slot.frameNumber != slot.requestedFrameNumber else { return most }
            return max(most, slot.time.subtracting(slot.requestedTime)?.magnitude ?? .zero)
        }
    }
    /// A human-readable note about thumbnails that show a frame other than the one at their time. It states how many
    /// there are, and how far away their frames are; `nil` if there are none.
    public var approximationNote: String? {
        guard approximateCount > 0 else { return nil }
        let milliseconds = maximumDistance.scaledDown(1000)
        let distance = "\(milliseconds / 1000)." + PlainText.padded(Int(clamping: milliseconds % 1000), to: 3)
        let count = slots.count == approximateCount ? "all" : "\(approximateCount) of"
        let verb = approximateCount == 1 ? "shows" : "show"
        let nearest = tolerance == .keyframe ? "key picture" : "picture that is cheap to decode"
        let outside = outsideCount > 0 ? "; \(outsideCount) from outside the thumbnail's time span" : ""
        return
            "\(slots.count == 1 ? "it" : "\(count) \(slots.count)") \(verb) the nearest \(nearest), at most \(distance) s away\(outside)"
    }
    /// The number of thumbnails whose frame is outside their slot (``Slot/isOutside``).
    public var outsideCount: Int { slots.count(where: \.isOutside) }
    /// The number of thumbnails that show the same frame as the previous one.
    public var repeatCount: Int { slots.count(where: \.isRepeat) }
}
