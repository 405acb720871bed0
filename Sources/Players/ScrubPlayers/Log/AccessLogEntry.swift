extension AccessLog {
    /// An entry of an access log.
    ///
    /// Times are integers: nanoseconds of the player's clock, or the medium's seconds as a ratio.
    public struct Entry: Sendable, Hashable, Codable {
        /// The kind of event.
        public enum Kind: Sendable, Hashable {
            /// A seek that is over.
            case seek(Seek)
            /// A time without the next picture.
            case stall(Stall)
            /// Frames that were not shown.
            case dropped(Player.DroppedFrames)
            /// The item got a decoder, having waited so long for it.
            case decoderAttached(waitedNanoseconds: Int64)
            /// The item's decoder went away.
            case decoderDetached(reason: DetachReason)
        }

        /// Why an item's decoder went away.
        public enum DetachReason: String, Sendable, Hashable, Codable, CaseIterable {
            /// It was idle, and another medium waited.
            case evicted
            /// Its turn was over, and another medium waited.
            case turnOver
            /// Memory was scarce.
            case memoryPressure
            /// Nothing more was wanted of the item.
            case closed
        }

        /// A seek and its result.
        public struct Seek: Sendable, Hashable {
            /// The frame that was asked for.
            public var requestedFrame: Int
            /// The time that was asked for, in seconds after the item's first frame.
            public var requestedTime: Rational
            /// The frame that was shown; `nil` when there was none.
            public var actualFrame: Int?
            /// Its time, in seconds after the item's first frame.
            public var actualTime: Rational?
            /// From the request to the exact picture, in nanoseconds.
            public var latencyNanoseconds: Int64
            /// Coded pictures given to a decoder for it.
            public var decodedPictures: Int
            /// Of these, pictures that had been decoded before and were released.
            public var redecodedPictures: Int
            /// Whether the picture was there without decoding.
            public var isCacheHit: Bool
            /// Whether a newer seek took its place.
            public var isSuperseded: Bool

            /// Makes one.
            public init(
                requestedFrame: Int, requestedTime: Rational, actualFrame: Int?, actualTime: Rational?,
                latencyNanoseconds: Int64, decodedPictures: Int = 0, redecodedPictures: Int = 0,
                isCacheHit: Bool = false,
                isSuperseded: Bool = false
            ) {
                (self.requestedFrame, self.requestedTime) = (requestedFrame, requestedTime)
                (self.actualFrame, self.actualTime) = (actualFrame, actualTime)
                self.latencyNanoseconds = latencyNanoseconds
                (self.decodedPictures, self.redecodedPictures) = (decodedPictures, redecodedPictures)
                (self.isCacheHit, self.isSuperseded) = (isCacheHit, isSuperseded)
            }
        }

        /// A time without the next picture.
        public struct Stall: Sendable, Hashable {
            /// The last frame that was shown before.
            public var frame: Int
            /// The length of the stall.
            public var nanoseconds: Int64

            /// Makes one.
            public init(frame: Int, nanoseconds: Int64) { (self.frame, self.nanoseconds) = (frame, nanoseconds) }
        }

        /// The time of its end, in nanoseconds since the player began.
        public let time: Int64
        /// The item, as ``Player/Event`` names it; `nil` when it is of no item.
        public let item: PlayerItem.ID?
        /// The kind of event.
        public let kind: Kind

        /// Makes an entry.
        public init(time: Int64, item: PlayerItem.ID?, kind: Kind) {
            (self.time, self.item, self.kind) = (time, item, kind)
        }
    }
}
