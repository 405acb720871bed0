extension AccessLog {
    /// An entry of an access log.
    ///
    /// Moments of the player's clock are integers, in nanoseconds. Times in the medium are ratios, in seconds. Other
    /// times are `Duration`s; JSON has their whole nanoseconds.
    public struct Entry: Sendable, Hashable, Codable {
        /// The kind of event.
        public enum Kind: Sendable, Hashable {
            /// A completed seek.
            case seek(Seek)
            /// A period in which the next picture was not available.
            case stall(Stall)
            /// Frames that were not shown.
            case dropped(Player.DroppedFrames)
            /// The item got a decoder after waiting for the given time.
            case decoderAttached(waited: Duration)
            /// The item lost its decoder.
            case decoderDetached(reason: DetachReason)
        }

        /// The reason why an item lost its decoder.
        public enum DetachReason: String, Sendable, Hashable, Codable, CaseIterable {
            /// The decoder was idle, and another medium was waiting.
            case evicted
            /// The item's turn ended, and another medium was waiting.
            case turnEnded = "turnOver"
            /// Memory was scarce.
            case memoryPressure
            /// The item was no longer needed.
            case closed
        }

        /// A seek and its result.
        public struct Seek: Sendable, Hashable {
            /// The number of the requested frame.
            public var requestedFrame: Int
            /// The requested time, in seconds after the item's first frame.
            public var requestedTime: Rational
            /// The number of the frame that was shown; `nil` if the seek was superseded.
            public var actualFrame: Int?
            /// The time of the frame that was shown, in seconds after the item's first frame; `nil` if the seek was
            /// superseded.
            public var actualTime: Rational?
            /// The time from the request until the exact picture was shown or the seek was superseded.
            public var latency: Duration
            /// The number of coded pictures given to a decoder for the seek.
            public var decodedPictureCount: Int
            /// The number of those pictures that were decoded again because they had been released.
            public var redecodedPictureCount: Int
            /// Whether the picture was available without decoding.
            public var isCacheHit: Bool
            /// Whether a newer seek superseded this one.
            public var isSuperseded: Bool

            /// Creates a seek record.
            public init(
                requestedFrame: Int, requestedTime: Rational, actualFrame: Int?, actualTime: Rational?,
                latency: Duration, decodedPictureCount: Int = 0, redecodedPictureCount: Int = 0,
                isCacheHit: Bool = false, isSuperseded: Bool = false
            ) {
                (self.requestedFrame, self.requestedTime) = (requestedFrame, requestedTime)
                (self.actualFrame, self.actualTime) = (actualFrame, actualTime)
                self.latency = latency
                (self.decodedPictureCount, self.redecodedPictureCount) = (decodedPictureCount, redecodedPictureCount)
                (self.isCacheHit, self.isSuperseded) = (isCacheHit, isSuperseded)
            }
        }

        /// A period in which the next picture was not available.
        public struct Stall: Sendable, Hashable {
            /// The number of the frame that was on screen when the stall ended.
            public var frame: Int
            /// The duration of the stall.
            public var duration: Duration

            /// Creates a stall record.
            public init(frame: Int, duration: Duration) { (self.frame, self.duration) = (frame, duration) }
        }

        /// The time at which the event ended, in nanoseconds of the player's ``Timebase``.
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
