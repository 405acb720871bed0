#if compiler(>=6.3)
internal import Scrub
internal import ScrubBase
internal import ScrubMedia

/// A session that C has opened.
///
/// Calls go to it from any thread. No call waits for the video's other calls, or for the decoder.
final class OpenSession: Sendable {
    private struct Requests {
        /// The number of the newest request.
        var last = 0
        /// Its frame; `nil` before the first one.
        var frame: Int?
        var gesture: ScrubGesture
    }

    /// What ends a wait for previews.
    private struct PreviewWait {
        var isClosed = false
        /// How often requests were given up: their previews are then.
        var cancelCount = 0
        /// The frame around which they are made, and whether all are there; `nil` before the first, and after a request
        /// was given up.
        var frame: Int?
        var isFull = false
    }

    let session: ScrubSession
    let budget: ScrubBudget
    let mailbox = SessionMailbox()
    private let previews = TimedBell(PreviewWait())
    /// Whether no picture of the video's own size comes.
    let showsReducedAlone: Bool
    /// Held while a request is made: their numbers rise in the order in which the session gets them.
    private let requests: Locked<Requests>

    var asset: VideoAsset { session.asset }

    init(_ asset: VideoAsset, _ options: SessionOptions) throws(ScrubError) {
        (session, budget) = (try options.start(asset), options.budget)
        showsReducedAlone = options.session.showsReducedAlone
        requests = Locked(Requests(gesture: options.gesture))
        let mailbox = mailbox
        session.observe { mailbox.put(.update($0)) }
        session.observeFailures { mailbox.put(.failure(request: $0, frame: $1, $2)) }
    }

    /// Ends it: takers and callbacks first, so that nothing comes after it. The decoder goes with the last reference.
    func close() {
        mailbox.close()
        previews.ring { $0.isClosed = true }
        session.cancel()
    }

    /// Asks for a frame.
    ///
    /// - Returns: the request's number, from 1.
    @discardableResult
    func request(_ frame: Int, isMoving: Bool) -> Int {
        requests.withLock { request(frame, isMoving: isMoving, &$0) }
    }

    private func request(_ frame: Int, isMoving: Bool, _ requests: inout Requests) -> Int {
        (requests.last, requests.frame) = (requests.last + 1, frame)
        session.scrub(to: frame, isMoving: isMoving, request: requests.last)
        return requests.last
    }

    /// Gives up a request, unless there is a newer one; 0 is the newest.
    func cancel(request: Int) {
        previews.ring { $0.cancelCount += 1 }
        session.cancel(request: request == 0 ? nil : request)
    }

    /// Begins a gesture, after the end of one that had none.
    ///
    /// - Parameter position: where the playhead is; `nil` for the frame that was asked for last, else the first one.
    /// - Returns: the request's number.
    func begin(at position: FramePosition?) throws(ScrubError) -> Int {
        // As the command's gestures: a fraction stays as it is written.
        var begin: Rational?
        if case .fraction(let fraction)? = position { begin = fraction }
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
    /// - Parameter returns: whether it goes back to where it began.
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

    /// Makes the previews around a frame, and waits until all are there that have room.
    ///
    /// - Parameter milliseconds: how long at most; below 0 without a limit.
    /// - Returns: whether they are there.
    /// - Throws: `CancellationError` when the session is closed meanwhile.
    func preparePreviews(around frame: Int, waiting milliseconds: Int32) throws -> Bool {
        let limit = CallLimit(milliseconds: milliseconds)
        // Requested once, however often it is waited for: a request moves the playhead of the previews.
        let (cancelCount, isNew) = previews.withLock { wait in
            let isNew = wait.frame != frame || wait.isFull
            if isNew { (wait.frame, wait.isFull) = (frame, false) }
            return (wait.cancelCount, isNew)
        }
        if isNew {
            session.preparePreviews(around: frame) { [previews] in
                previews.ring { wait in
                    if wait.frame == frame { wait.isFull = true }
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

    /// Returns the frame at a position; the nearest one for a position outside of the video.
    func frame(at position: FramePosition) throws(ScrubError) -> Int {
        try asset.frame(at: position, clamps: true).frame.number
    }
}
#endif
