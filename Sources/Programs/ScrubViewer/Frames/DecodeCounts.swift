#if Viewer
internal import ScrubBase

/// The decoders' finished and present work for requests.
///
/// Thread safety: safe from any thread.
final class DecodeCounts: Sendable {
    struct Figures: Sendable {
        /// Frames whose decoding was begun for a request.
        var begun = 0
        /// Of these, those that came to their end.
        var finished = 0
        /// Of these, those that were left: the client had gone, or asked for something else.
        var cancelled = 0
        /// Requests that were answered without decoding because a newer one had come.
        var superseded = 0
        /// Requests whose client went away.
        var gone = 0
        /// Requests for frames.
        var requests = 0
        /// Of these, those that were there without decoding.
        var kept = 0
        /// Of the requests, those of a moving finger.
        var moves = 0
        /// Of these, those that were answered in time with the very frame (``FrameReply/isRightInTime``).
        var rightShown = 0
        /// Coded pictures that were given to decoders of clients that no longer exist.
        var pictures = 0
        /// Decodings that such clients' decoders left before their frame came.
        var left = 0
        /// By client, now.
        var underWay: [String: Int] = [:]
        /// The most that ever were under way for one client.
        var mostForOne = 0
    }

    private let figures = Locked(Figures())

    /// Now.
    var now: Figures { figures.withLock { $0 } }

    func note(_ change: (inout Figures) -> Void) { figures.withLock { change(&$0) } }

    func begin(_ client: String) {
        figures.withLock { figures in
            figures.begun += 1
            figures.underWay[client, default: 0] += 1
            figures.mostForOne = max(figures.mostForOne, figures.underWay[client] ?? 0)
        }
    }

    func end(_ client: String, isFinished: Bool) {
        figures.withLock { figures in
            if isFinished { figures.finished += 1 } else { figures.cancelled += 1 }
            let count = (figures.underWay[client] ?? 0) - 1
            figures.underWay[client] = count > 0 ? count : nil
        }
    }
}
#endif
