#if Viewer
internal import ScrubBase

/// The decoders' finished and current work for requests.
///
/// Thread safety: safe from any thread.
final class DecodeCounts: Sendable {
    struct Figures: Sendable {
        /// The frames whose decoding was started for a request.
        var begun = 0
        /// Of these, the completed ones.
        var finished = 0
        /// Of these, the abandoned ones: the client had gone, or requested something else.
        var cancelled = 0
        /// The requests that were answered without decoding because a newer one had come.
        var superseded = 0
        /// The requests whose client disconnected.
        var gone = 0
        /// The requests for frames.
        var requests = 0
        /// Of these, those that needed no decoding.
        var kept = 0
        /// Of the requests, those from a moving finger.
        var moves = 0
        /// Of these, those that were answered in time with the exact frame (``FrameReply/isRightInTime``).
        var rightShown = 0
        /// The coded pictures given to decoders of clients that no longer exist.
        var pictures = 0
        /// The decodings that these clients' decoders abandoned before their frame was ready.
        var left = 0
        /// The current numbers, by client.
        var underWay: [String: Int] = [:]
        /// The most that were ever in progress for one client.
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
