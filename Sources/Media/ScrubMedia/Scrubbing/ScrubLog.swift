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
        /// The time since the session started.
        public let time: Duration
        /// The request's number, counted from 1.
        public let request: Int
        /// The requested frame, or the frame whose decoding was abandoned.
        public let requestedFrame: Int
        /// The frame that was shown.
        public let shownFrame: Int?
        /// The time from the request to the picture, or the duration of a stall.
        public let latency: Duration
        /// The number of coded pictures that were fed to a decoder.
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
    /// A session's counters since it started.
    public struct Counters: Sendable, Hashable {
        /// The number of frame requests.
        public internal(set) var requestCount = 0
        /// The number of pictures handed out, including repeats of the same frame for a newer request.
        public internal(set) var pictureCount = 0
        /// The number of pictures that showed a different frame than the previous picture.
        public internal(set) var newPictureCount = 0
        /// The number of exact pictures.
        public internal(set) var exactPictureCount = 0
        /// The number of pictures that were available without decoding.
        public internal(set) var cacheHitCount = 0
        /// The number of decodes that were abandoned for a newer request.
        public internal(set) var cancelledDecodeCount = 0
        /// The number of coded pictures that were fed to a decoder for requests, including abandoned requests.
        public internal(set) var decodedPictureCount = 0
        /// The number of stalls: periods longer than a tenth of a second in which the finger moved but no new picture
        /// appeared.
        public internal(set) var stallCount = 0
        /// The longest time between two new pictures while the finger moved.
        public internal(set) var longestGap = Duration.zero

        /// Counts an event.
        mutating func count(_ event: ScrubSession.Event, isNew: Bool, gap: Duration?) {
            switch event.kind {
            case .requested: requestCount += 1
            case .cancelled:
                cancelledDecodeCount += 1
                decodedPictureCount += event.decodedPictureCount
            case .shown(let stage):
                pictureCount += 1
                if stage == .exact { exactPictureCount += 1 }
                if stage == .exact || stage == .preview { decodedPictureCount += event.decodedPictureCount }
                if event.isCacheHit { cacheHitCount += 1 }
                if isNew { newPictureCount += 1 }
                longestGap = max(longestGap, gap ?? .zero)
            case .stalled: stallCount += 1
            case .failed: break
            }
        }
    }
}
