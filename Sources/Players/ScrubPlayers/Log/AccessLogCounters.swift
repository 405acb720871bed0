internal import ScrubBase

extension AccessLog {
    /// The counters of a player so far; entries that an ``AccessLog`` no longer has are counted on.
    public struct Counters: Sendable, Hashable, Codable {
        /// Seeks that are over.
        public internal(set) var seeks = 0
        /// Of these, those whose picture was there without decoding.
        public internal(set) var cacheHits = 0
        /// Of these, those that a newer one took the place of.
        public internal(set) var supersededSeeks = 0
        /// The longest time from a seek that was not superseded to its picture, in nanoseconds.
        public internal(set) var worstSeekNanoseconds: Int64 = 0
        /// Times that the next picture was not there.
        public internal(set) var stalls = 0
        /// Their duration together, in nanoseconds.
        public internal(set) var stalledNanoseconds: Int64 = 0
        /// Frames that were presented, each time they were.
        public internal(set) var presentedFrames = 0
        /// Frames that came after their time.
        public internal(set) var lateFrames = 0
        /// Frames that were left out before decoding.
        public internal(set) var skippedFrames = 0
        /// Frames that a jump left out.
        public internal(set) var jumpedFrames = 0
        /// Coded pictures given to decoders, for seeks and for playing: those of seeks' entries are among them.
        public internal(set) var decodedPictures = 0
        /// Of these, pictures that had been decoded before and were released.
        public internal(set) var redecodedPictures = 0
        /// Times that an item got a decoder.
        public internal(set) var decoderAttachments = 0
        /// Times that an item's decoder went away.
        public internal(set) var decoderDetachments = 0
        /// Bytes read of the media, to open those that it opened and while its decoders worked. If several players
        /// share a video and read it at the same moment, each also counts the others' reads.
        public internal(set) var bytesRead: Int64 = 0

        /// Nothing yet.
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
    /// Adds an amount that is not negative, and stays at the type's largest number.
    mutating func addClamping(_ amount: Self) {
        let (sum, overflow) = addingReportingOverflow(amount)
        self = overflow ? .max : sum
    }
}
