#if compiler(>=6.3)
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

/// A session that C has opened.
///
/// Any thread may call it. No call waits for the video's other calls, or for the decoder.
final class OpenSession: Sendable {
    private struct Requests {
        /// The number of the newest request.
        var last = 0
        /// Its frame; `nil` before the first request.
        var frame: Int?
        var gesture: ScrubGesture
    }

    /// What can end a wait for previews.
    private struct PreviewWait {
        var isClosed = false
        /// How many requests were cancelled, which also cancels their previews.
        var cancelCount = 0
        /// The frame around which previews are made, and whether all are ready; `nil` before the first, and after a
        /// request was cancelled.
        var frame: Int?
        var isFull = false
    }

    let session: ScrubSession
    let budget: ScrubBudget
    let mailbox = SessionMailbox()
    private let previews = TimedBell(PreviewWait())
    /// Whether no full-size picture will come.
    let showsOnlyReducedPictures: Bool
    /// Held while a request is made, so that request numbers increase in the order in which the session receives them.
    private let requests: Locked<Requests>

    var asset: VideoAsset { session.asset }

    init(_ asset: VideoAsset, _ options: SessionOptions) throws(ScrubError) {
        (session, budget) = (try options.start(asset), options.budget)
        showsOnlyReducedPictures = options.session.showsOnlyReducedPictures
        requests = Locked(Requests(gesture: options.gesture))
        let mailbox = mailbox
        session.observe { update in
            // A failure is reported once, with its request: below.
            if update.stage != .failed { mailbox.put(.update(update)) }
        }
        session.observeFailures { mailbox.put(.failure(request: $0, frame: $1, $2)) }
    }

    /// Ends the session: takers and callbacks first, so that none runs afterwards. The decoder is released with the
    /// last reference.
    func close() {
        mailbox.close()
        previews.ring { $0.isClosed = true }
        session.end()
    }

    /// Requests a frame.
    ///
    /// - Returns: the request's number, from 1.
    @discardableResult
    func request(_ frame: Int, isMoving: Bool) -> Int {
        requests.withLock { request(frame, isMoving: isMoving, &$0) }
    }

    private func request(_ frame: Int, isMoving: Bool, _ requests: inout Requests) -> Int {
        (requests.last, requests.frame) = (requests.last + 1, frame)
        session.scrub(toFrame: frame, isMoving: isMoving, request: requests.last)
        return requests.last
    }

    /// Cancels a request, unless there is a newer one; 0 means the newest.
    func cancel(request: Int) {
        previews.ring { $0.cancelCount += 1 }
        session.cancel(request: request == 0 ? nil : request)
    }

    /// Begins a gesture, and first ends one that has not ended.
    ///
    /// - Parameter position: where the playhead is; `nil` for the last requested frame, or else the first frame.
    /// - Returns: the request's number.
    func begin(at position: FramePosition?) throws(ScrubError) -> Int {
        // As for the command's gestures, a fraction stays as written.
        var begin: Rational?
        if case .fraction(let fraction)? = position?.kind { begin = fraction }
        let named = try position.map { (position) throws(ScrubError) in try frame(at: position) }
        return requests.withLock { requests in
            let number = named ?? requests.frame ?? 0
            _ = requests.gesture.ended()
            _ = requests.gesture.began(at: begin ?? asset.fraction(ofFrame: number), isPlaying: false)
            return request(number, isMoving: false, &requests)
        }
    }

    /// Moves the finger of a gesture.
    ///
    /// - Returns: the frame under it and the request's number; `nil` before a gesture began.
    func move(
        to translation: ScrubGesture.Translation, width: Double
    ) throws(ScrubError) -> (frame: Int, request: Int)? {
        try requests.withLock { (requests) throws(ScrubError) in
            try follow(requests.gesture.changed(translation: translation, width: width), isMoving: true, &requests)
        }
    }

    /// Ends a gesture.
    ///
    /// - Parameter returns: whether the playhead goes back to where the gesture began.
    /// - Returns: the number of the newest request; 0 if there was none.
    func end(returns: Bool) throws(ScrubError) -> Int {
        try requests.withLock { (requests) throws(ScrubError) in
            requests.gesture.options.returnsOnCancel = returns
            let actions = returns ? requests.gesture.cancelled() : requests.gesture.ended()
            _ = try follow(actions, isMoving: false, &requests)
            session.rest()
            return requests.last
        }
    }

    private func follow(
        _ actions: ScrubGesture.Actions, isMoving: Bool, _ requests: inout Requests
    ) throws(ScrubError) -> (frame: Int, request: Int)? {
        guard let target = actions.target else { return nil }
        let number = try frame(at: .fraction(target))
        return (number, request(number, isMoving: isMoving, &requests))
    }

    /// Makes the previews around a frame, and waits until all that fit are ready.
    ///
    /// - Parameter milliseconds: the maximum wait; below 0 means no limit.
    /// - Returns: whether they are ready.
    /// - Throws: `CancellationError` if the session is closed in the meantime.
    func preparePreviews(around frame: Int, waiting milliseconds: Int32) throws -> Bool {
        let limit = CallLimit(milliseconds: milliseconds)
        // Requested once, however many calls wait for it, because a request moves the previews' playhead.
        let (cancelCount, isNew) = previews.withLock { wait in
            let isNew = wait.frame != frame || wait.isFull
            if isNew { (wait.frame, wait.isFull) = (frame, false) }
            return (wait.cancelCount, isNew)
        }
        if isNew {
            session.preparePreviews(aroundFrame: frame) { [previews] isFull in
                previews.ring { wait in
                    // Without an answer, a later call requests them again.
                    if wait.frame == frame { (wait.isFull, wait.frame) = (isFull, isFull ? frame : nil) }
                }
            }
        }
        let isDone: Bool? = previews.wait { wait in
            if wait.isClosed { return .done(nil) }
            if wait.cancelCount != cancelCount || wait.frame != frame {
                if wait.frame == frame { wait.frame = nil }
                return .done(false)
            }
            if wait.isFull { return .done(true) }
            let left = limit.left
            return left.map { $0 <= 0 } ?? false ? .done(false) : .sleep(left)
        }
        guard let isDone else { throw CancellationError() }
        return isDone
    }

    /// Returns the frame at a position; for a position outside the video, the nearest frame.
    func frame(at position: FramePosition) throws(ScrubError) -> Int {
        try asset.presentedFrame(nearest: position).number
    }
}
#endif
