extension ScrubSession {
    /// An event in a scrubbing session.
    public struct Event: Sendable, Hashable {
        /// The kinds of events.
        public enum Kind: Sendable, Hashable {
            /// A frame was requested.
            case requested
            /// A picture was handed out.
            case shown(ScrubSession.Update.Stage)
            /// Decoding of a frame was abandoned because a newer request needed a different frame.
            case cancelled
            /// The finger moved, but no new picture appeared for longer than a tenth of a second. The event is reported
            /// with the picture that ended the stall.
            case stalled
            /// Reading failed. The request stays unanswered.
            case failed(String)
        }

        /// The kind of event.
        public let kind: Kind
        /// The time since the start of the session.
        public let time: Duration
        /// The request's number, counted from 1.
        public let request: Int
        /// The requested frame, or the frame whose decoding was abandoned.
        public let requestedFrame: Int
        /// The frame that was shown.
        public let shownFrame: Int?
        /// The time from the request to the picture, or the duration of a stall.
        public let latency: Duration
        /// The number of coded pictures given to a decoder.
        public let decodedPictureCount: Int
        /// Whether the picture was available without decoding.
        public let isCacheHit: Bool

        /// The event as a JSON object on one line (RFC 8259).
        package var json: String {
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
            json.add("decoded", decodedPictureCount)
            json.add("cacheHit", isCacheHit)
            if let reason { json.add("reason", reason) }
            return json.text
        }
    }
}

extension ScrubSession {
    /// A session's counters since its start.
    public struct Counters: Sendable, Hashable {
        /// The number of requested frames.
        public internal(set) var requests = 0
        /// The number of pictures handed out, including those that showed the same frame again for a newer request.
        public internal(set) var pictures = 0
        /// The number of pictures that showed a different frame from the previous one.
        public internal(set) var newPictures = 0
        /// The number of exact pictures.
        public internal(set) var exactPictures = 0
        /// The number of pictures that were available without decoding.
        public internal(set) var cacheHits = 0
        /// The number of decodes that were abandoned for a newer request.
        public internal(set) var cancelled = 0
        /// The number of coded pictures given to a decoder for requests, including abandoned ones.
        public internal(set) var decodedPictures = 0
        /// The number of stalls: periods longer than a tenth of a second in which the finger moved but no new picture
        /// appeared.
        public internal(set) var stalls = 0
        /// The longest time between two new pictures while the finger moved.
        public internal(set) var worstGap = Duration.zero

        /// Counts an event.
        mutating func count(_ event: ScrubSession.Event, isNew: Bool, gap: Duration?) {
            switch event.kind {
            case .requested: requests += 1
            case .cancelled:
                cancelled += 1
                decodedPictures += event.decodedPictureCount
            case .shown(let stage):
                pictures += 1
                if stage == .exact { exactPictures += 1 }
                if stage == .exact || stage == .preview { decodedPictures += event.decodedPictureCount }
                if event.isCacheHit { cacheHits += 1 }
                if isNew { newPictures += 1 }
                worstGap = max(worstGap, gap ?? .zero)
            case .stalled: stalls += 1
            case .failed: break
            }
        }
    }
}
