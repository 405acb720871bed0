internal import ScrubBase

extension AccessLog {
    /// A player's counters so far. They include entries that the ``AccessLog`` has dropped.
    public struct Counters: Sendable, Hashable, Codable {
        /// Completed seeks.
        public internal(set) var seekCount = 0
        /// Completed seeks whose picture was available without decoding.
        public internal(set) var cacheHitCount = 0
        /// Seeks that were superseded by a newer one. They are included in ``seekCount``.
        public internal(set) var supersededSeekCount = 0
        /// The longest time from a request to its exact picture. Superseded seeks are not taken into account.
        public var maximumSeekLatency: Duration { .nanoseconds(maximumSeekNanoseconds) }
        /// The number of times that the next picture was not available.
        public internal(set) var stallCount = 0
        /// The total duration of stalls.
        public var stalledDuration: Duration { .nanoseconds(stallNanoseconds) }
        /// Presented frames. A frame that is presented several times is counted each time.
        public internal(set) var presentedFrameCount = 0
        /// Frames that were decoded too late to be shown.
        public internal(set) var lateFrameCount = 0
        /// Frames that were skipped before decoding.
        public internal(set) var skippedFrameCount = 0
        /// Frames that were skipped because decoding resumed at a later restart.
        public internal(set) var jumpedFrameCount = 0
        /// Coded pictures given to decoders, for seeks and for playback. This includes the pictures counted in seek
        /// entries.
        public internal(set) var decodedPictureCount = 0
        /// Pictures that were decoded again because they had been released.
        public internal(set) var redecodedPictureCount = 0
        /// The number of times that an item got a decoder.
        public internal(set) var decoderAttachmentCount = 0
        /// The number of times that an item lost its decoder.
        public internal(set) var decoderDetachmentCount = 0
        /// Bytes read from the media when they were opened and while their decoders were working. If several players
        /// read the same video at the same time, each also counts the bytes that the others read.
        public internal(set) var readByteCount: Int64 = 0
        private var maximumSeekNanoseconds: Int64 = 0
        private var stallNanoseconds: Int64 = 0

        /// The keys of the JSON text.
        private enum CodingKeys: String, CodingKey {
            case seekCount = "seeks"
            case cacheHitCount = "cacheHits"
            case supersededSeekCount = "supersededSeeks"
            case maximumSeekNanoseconds = "worstSeekNanoseconds"
            case stallCount = "stalls"
            case stallNanoseconds = "stalledNanoseconds"
            case presentedFrameCount = "presentedFrames"
            case lateFrameCount = "lateFrames"
            case skippedFrameCount = "skippedFrames"
            case jumpedFrameCount = "jumpedFrames"
            case decodedPictureCount = "decodedPictures"
            case redecodedPictureCount = "redecodedPictures"
            case decoderAttachmentCount = "decoderAttachments"
            case decoderDetachmentCount = "decoderDetachments"
            case readByteCount = "bytesRead"
        }

        /// Creates counters that are all 0.
        public init() {}

        mutating func count(_ kind: AccessLog.Entry.Kind) {
            switch kind {
            case .seek(let seek):
                seekCount.addClamping(1)
                if seek.isCacheHit { cacheHitCount.addClamping(1) }
                if seek.isSuperseded {
                    supersededSeekCount.addClamping(1)
                } else {
                    maximumSeekNanoseconds = max(maximumSeekNanoseconds, seek.latency.wholeNanoseconds)
                }
            case .stall(let stall):
                stallCount.addClamping(1)
                stallNanoseconds.addClamping(stall.duration.wholeNanoseconds)
            case .dropped(let frames):
                lateFrameCount.addClamping(frames.lateCount)
                skippedFrameCount.addClamping(frames.skippedBeforeDecodingCount)
                jumpedFrameCount.addClamping(frames.jumpedCount)
            case .decoderAttached: decoderAttachmentCount.addClamping(1)
            case .decoderDetached: decoderDetachmentCount.addClamping(1)
            }
        }

        var jsonObject: JSONText {
            var json = JSONText()
            func add(_ key: CodingKeys, _ value: Int64) { json.add(key.rawValue, value) }
            func add(_ key: CodingKeys, _ value: Int) { json.add(key.rawValue, value) }
            add(.seekCount, seekCount)
            add(.cacheHitCount, cacheHitCount)
            add(.supersededSeekCount, supersededSeekCount)
            add(.maximumSeekNanoseconds, maximumSeekNanoseconds)
            add(.stallCount, stallCount)
            add(.stallNanoseconds, stallNanoseconds)
            add(.presentedFrameCount, presentedFrameCount)
            add(.lateFrameCount, lateFrameCount)
            add(.skippedFrameCount, skippedFrameCount)
            add(.jumpedFrameCount, jumpedFrameCount)
            add(.decodedPictureCount, decodedPictureCount)
            add(.redecodedPictureCount, redecodedPictureCount)
            add(.decoderAttachmentCount, decoderAttachmentCount)
            add(.decoderDetachmentCount, decoderDetachmentCount)
            add(.readByteCount, readByteCount)
            return json
        }
    }
}

extension FixedWidthInteger {
    /// Adds a non-negative amount, clamped to the type's maximum.
    mutating func addClamping(_ amount: Self) {
        let (sum, overflow) = addingReportingOverflow(amount)
        self = overflow ? .max : sum
    }
}
