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

    let session: ScrubSession
    let budget: ScrubBudget
    let mailbox = SessionMailbox()
    /// Rung for when previews are there; true once the session is closed.
    private let previewsAreThere = TimedBell(false)
    /// Held while a request is made: their numbers rise in the order in which the session gets them.
    private let requests: Locked<Requests>

    var asset: VideoAsset { session.asset }

    init(_ asset: VideoAsset, _ options: SessionOptions) throws(ScrubError) {
        (session, budget) = (try options.start(asset), options.budget)
        requests = Locked(Requests(gesture: options.gesture))
        let mailbox = mailbox
        session.observe { mailbox.put(.update($0)) }
        session.observeFailures { mailbox.put(.failure(request: $0, frame: $1, $2)) }
    }

    /// Ends it: takers and callbacks first, so that nothing comes after it. The decoder goes with the last reference.
    func close() {
        mailbox.close()
        session.cancel()
        previewsAreThere.ring { $0 = true }
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
    func cancel(request: Int) { session.cancel(request: request == 0 ? nil : request) }

    /// Begins a gesture.
    ///
    /// - Parameter position: where the playhead is; `nil` for the frame that was asked for last, else the first one.
    func begin(at position: FramePosition?) throws(ScrubError) {
        // As the command's gestures: a fraction stays as it is written.
        var begin: Rational?
        if case .fraction(let fraction)? = position { begin = fraction }
        let named = try position.map { (position) throws(ScrubError) in try frame(at: position) }
        requests.withLock { requests in
            let number = named ?? requests.frame ?? 0
            _ = requests.gesture.began(at: begin ?? asset.fraction(ofFrame: number), isPlaying: false)
            _ = request(number, isMoving: false, &requests)
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
    func end(returns: Bool) throws(ScrubError) {
        try requests.withLock { (requests) throws(ScrubError) in
            requests.gesture.options.returnsOnCancel = returns
            let actions = returns ? requests.gesture.cancelled() : requests.gesture.ended()
            _ = try follow(actions, isMoving: false, &requests)
        }
        session.rest()
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
        let clock = ContinuousClock()
        let deadline = clock.now + .milliseconds(Int(milliseconds))
        let isFull = Locked(false)
        session.preparePreviews(around: frame) { [previewsAreThere] in
            isFull.withLock { $0 = true }
            previewsAreThere.ring { _ in }
        }
        let isDone: Bool? = previewsAreThere.wait { isClosed in
            if isFull.withLock({ $0 }) { return .done(true) }
            if isClosed { return .done(nil) }
            guard milliseconds >= 0 else { return .sleep(nil) }
            let left = (deadline - clock.now).wholeNanoseconds
            return left > 0 ? .sleep(left) : .done(false)
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
