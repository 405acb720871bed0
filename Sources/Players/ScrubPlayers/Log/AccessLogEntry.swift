extension AccessLog {
    /// An entry of an access log.
    ///
    /// Times are integers: nanoseconds of the player's clock, or the medium's time in seconds as a ratio.
    public struct Entry: Sendable, Hashable, Codable {
        /// The kind of event.
        public enum Kind: Sendable, Hashable {
            /// A completed seek.
            case seek(Seek)
            /// A period in which the next picture was not available.
            case stall(Stall)
            /// Frames that were not shown.
            case dropped(Player.DroppedFrames)
            /// The item got a decoder after waiting for this long.
            case decoderAttached(waitedNanoseconds: Int64)
            /// The item lost its decoder.
            case decoderDetached(reason: DetachReason)
        }

        /// The reason why an item lost its decoder.
        public enum DetachReason: String, Sendable, Hashable, Codable, CaseIterable {
            /// The decoder was idle, and another medium was waiting.
            case evicted
            /// The item's turn ended, and another medium was waiting.
            case turnOver
            /// Memory was scarce.
            case memoryPressure
            /// The item was no longer needed.
            case closed
        }

        /// A seek and its result.
        public struct Seek: Sendable, Hashable {
            /// The requested frame.
            public var requestedFrame: Int
            /// The requested time, in seconds after the item's first frame.
            public var requestedTime: Rational
            /// The frame that was shown; `nil` if there was none.
            public var actualFrame: Int?
            /// The time of the shown frame, in seconds after the item's first frame.
            public var actualTime: Rational?
            /// The time from the request to the exact picture, in nanoseconds.
            public var latencyNanoseconds: Int64
            /// The number of coded pictures given to a decoder for the seek.
            public var decodedPictures: Int
            /// The number of those pictures that had been decoded before and were released.
            public var redecodedPictures: Int
            /// Whether the picture was available without decoding.
            public var isCacheHit: Bool
            /// Whether a newer seek superseded this one.
            public var isSuperseded: Bool

            /// Creates a seek record.
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

        /// A period in which the next picture was not available.
        public struct Stall: Sendable, Hashable {
            /// The last frame shown before the stall.
            public var frame: Int
            /// The length of the stall.
            public var nanoseconds: Int64

            /// Creates a stall record.
            public init(frame: Int, nanoseconds: Int64) { (self.frame, self.nanoseconds) = (frame, nanoseconds) }
        }

        /// The time at which the event ended, in nanoseconds since the player was created.
        public let time: Int64
        /// The item, as identified in ``Player/Event``; `nil` if the entry does not belong to an item.
        public let item: PlayerItem.ID?
        /// The kind of event.
        public let kind: Kind

        /// Creates an entry.
        public init(time: Int64, item: PlayerItem.ID?, kind: Kind) {
            (self.time, self.item, self.kind) = (time, item, kind)
        }
    }
}
