internal import ScrubBase

extension AccessLog {
    /// The counters of a player so far. They include entries that an ``AccessLog`` has dropped.
    public struct Counters: Sendable, Hashable, Codable {
        /// Completed seeks.
        public internal(set) var seeks = 0
        /// Completed seeks whose picture was available without decoding.
        public internal(set) var cacheHits = 0
        /// Completed seeks that a newer one superseded.
        public internal(set) var supersededSeeks = 0
        /// The longest time from a seek that was not superseded to its picture, in nanoseconds.
        public internal(set) var worstSeekNanoseconds: Int64 = 0
        /// The number of times that the next picture was not available.
        public internal(set) var stalls = 0
        /// The total duration of stalls, in nanoseconds.
        public internal(set) var stalledNanoseconds: Int64 = 0
        /// Presented frames, counted each time they were presented.
        public internal(set) var presentedFrames = 0
        /// Frames that were late.
        public internal(set) var lateFrames = 0
        /// Frames that were skipped before decoding.
        public internal(set) var skippedFrames = 0
        /// Frames that a jump skipped.
        public internal(set) var jumpedFrames = 0
        /// Coded pictures given to decoders, for seeks and for playback. The pictures in the entries for seeks are
        /// included.
        public internal(set) var decodedPictures = 0
        /// Decoded pictures that had been decoded before and were released.
        public internal(set) var redecodedPictures = 0
        /// The number of times that an item got a decoder.
        public internal(set) var decoderAttachments = 0
        /// The number of times that an item lost its decoder.
        public internal(set) var decoderDetachments = 0
        /// Bytes read from the media, to open them and while their decoders worked. If several players share a video
        /// and read it at the same moment, each one also counts the others' reads.
        public internal(set) var bytesRead: Int64 = 0

        /// Creates counters that are all zero.
        public init() {}

        mutating func count(_ kind: AccessLog.Entry.Kind) {
            switch kind {
            case .seek(let seek):
                seeks.addClamping(1)
                if seek.isCacheHit { cacheHits.addClamping(1) }
                if seek.isSuperseded {
                    supersededSeeks.addClamping(1)
                } else {
                    worstSeekNanoseconds = max(worstSeekNanoseconds, seek.latencyNanoseconds)
                }
            case .stall(let stall):
                stalls.addClamping(1)
                stalledNanoseconds.addClamping(stall.nanoseconds)
            case .dropped(let frames):
                lateFrames.addClamping(frames.late)
                skippedFrames.addClamping(frames.skippedBeforeDecoding)
                jumpedFrames.addClamping(frames.jumped)
            case .decoderAttached: decoderAttachments.addClamping(1)
            case .decoderDetached: decoderDetachments.addClamping(1)
            }
        }

        var jsonObject: JSONText {
            var json = JSONText()
            json.add("seeks", seeks)
            json.add("cacheHits", cacheHits)
            json.add("supersededSeeks", supersededSeeks)
            json.add("worstSeekNanoseconds", worstSeekNanoseconds)
            json.add("stalls", stalls)
            json.add("stalledNanoseconds", stalledNanoseconds)
            json.add("presentedFrames", presentedFrames)
            json.add("lateFrames", lateFrames)
            json.add("skippedFrames", skippedFrames)
            json.add("jumpedFrames", jumpedFrames)
            json.add("decodedPictures", decodedPictures)
            json.add("redecodedPictures", redecodedPictures)
            json.add("decoderAttachments", decoderAttachments)
            json.add("decoderDetachments", decoderDetachments)
            json.add("bytesRead", bytesRead)
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
