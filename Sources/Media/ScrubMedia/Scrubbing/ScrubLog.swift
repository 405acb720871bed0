extension ScrubSession {
    /// An event in a scrubbing session.
    public struct Event: Sendable, Hashable {
        /// The kinds of events.
        public enum Kind: Sendable, Hashable {
            /// A frame was asked for.
            case requested
            /// A picture was handed out.
            case shown(ScrubSession.Update.Stage)
            /// Decoding for a frame was left because a newer request needed something else.
            case cancelled
            /// The finger moved, and no new picture came for longer than a tenth of a second; told with the picture
            /// that ended it.
            case stalled
            /// Reading failed; the request stays unanswered.
            case failed(String)
        }

        /// The kind of event.
        public let kind: Kind
        /// The time since the session's beginning.
        public let time: Duration
        /// The request's number, counted from 1.
        public let request: Int
        /// The frame that was asked for, or that decoding was left for.
        public let requestedFrame: Int
        /// The frame that was shown.
        public let shownFrame: Int?
        /// From the request to the picture, or the length of a stall.
        public let latency: Duration
        /// Coded pictures given to a decoder.
        public let decodedPictures: Int
        /// Whether the picture was there without decoding.
        public let isCacheHit: Bool

        /// The event as a JSON object without a line break (RFC 8259).
        public var json: String {
            var reason: String?
            let name: String
            switch kind {
            case .requested: name = "requested"
            case .shown(let stage): name = stage.rawValue
            case .cancelled: name = "cancelled"
            case .stalled: name = "stalled"
            case .failed(let words): (name, reason) = ("failed", words)
            }
            var json = JSONText()
            json.add("event", name)
            json.add("ns", time.wholeNanoseconds)
            json.add("request", request)
            json.add("requested", requestedFrame)
            if let shownFrame { json.add("frame", shownFrame) }
            json.add("latencyNs", latency.wholeNanoseconds)
            json.add("decoded", decodedPictures)
            json.add("cacheHit", isCacheHit)
            if let reason { json.add("reason", reason) }
            return json.text
        }
    }
}

extension ScrubSession {
    /// A session's counters so far.
    public struct Counters: Sendable, Hashable {
        /// Frames asked for.
        public internal(set) var requests = 0
        /// Pictures handed out, those included that showed the same frame again for a newer request.
        public internal(set) var pictures = 0
        /// Pictures that showed another frame than the one before.
        public internal(set) var newPictures = 0
        /// Pictures that were exact.
        public internal(set) var exactPictures = 0
        /// Pictures that were there without decoding.
        public internal(set) var cacheHits = 0
        /// Decodings that were left for a newer request.
        public internal(set) var cancelled = 0
        /// Coded pictures given to a decoder for requests, those that were left included.
        public internal(set) var decodedPictures = 0
        /// Times that no new picture came for longer than a tenth of a second while the finger moved.
        public internal(set) var stalls = 0
        /// The longest time between two new pictures while the finger moved.
        public internal(set) var worstGap = Duration.zero

        /// Counts an event.
        mutating func count(_ event: ScrubSession.Event, isNew: Bool, gap: Duration?) {
            switch event.kind {
            case .requested: requests += 1
            case .cancelled:
                cancelled += 1
                decodedPictures += event.decodedPictures
            case .shown(let stage):
                pictures += 1
                if stage == .exact { exactPictures += 1 }
                if stage == .exact || stage == .preview { decodedPictures += event.decodedPictures }
                if event.isCacheHit { cacheHits += 1 }
                if isNew { newPictures += 1 }
                worstGap = max(worstGap, gap ?? .zero)
            case .stalled: stalls += 1
            case .failed: break
            }
        }
    }
}
