#if CommandLine
internal import ScrubBase
internal import Scrub

/// Plays a gesture in real time on a scrubbing session, as a player's view would.
struct GesturePlayer {
    /// A frame that the finger requested.
    struct Move: Sendable {
        /// The request's number in the session.
        var request: Int
        var frame: Int
        /// Nanoseconds since the gesture began.
        var time: Int64
    }

    /// A delivered picture.
    struct Shown: Sendable {
        var request: Int
        var requestedFrame: Int
        var frame: PresentedFrame
        var verdict: Verdict
        var isExact: Bool
        /// Whether it is the requested frame, exact or as a preview.
        var isRight: Bool
        /// Whether nothing better follows for its request.
        var isAnswer: Bool
        var time: Int64
        var latency: Int64
    }

    /// The outcome.
    struct Recording {
        var moves: [Move]
        var shown: [Shown]
        var counters: ScrubSession.Counters
        /// The last picture, exact, and its MD5.
        var last: (shown: Shown, hash: String?)?
        /// Whether the transport plays again.
        var isPlaying: Bool
        /// The contents of the preview track at the end.
        var previews: Previews?
    }

    /// A preview track's contents and cost.
    struct Previews {
        var frameCount: Int
        var byteCount: Int
        var longSide: Int
        var processorTime: Duration
    }

    let asset: VideoAsset
    let session: ScrubSession
    let script: ScrubGesture.Script
    let options: ScrubGesture.Options

    /// Whether no full-size picture will come.
    let showsOnlyReducedPictures: Bool
    /// Whether the first event waits for the previews around it.
    let isWarm: Bool

    /// The known facts about the last requests.
    private struct Ending: Sendable {
        /// Only the last exact picture, or the last reduced one if there are no exact ones. Kept pictures take memory
        /// from the session.
        var exact: (request: Int, picture: FramePicture?)?
        var failure: (request: Int, error: ScrubError)?
        /// The request for which there was no memory.
        var starved: Int?
    }

    /// Plays the script; returns once the last frame's picture has been shown, exact if there are exact pictures.
    ///
    /// - Throws: the error of the last frame's decoding, `unavailable` if there is no memory for it.
    func play() throws(ScrubError) -> Recording {
        let clock = ContinuousClock()
        let shown = Locked<[Shown]>([])
        let ending = Locked(Ending())
        let changed = BoundedQueue<Void>(capacity: 1)
        let transport = ScrubTransport(duration: asset.duration)
        var gesture = ScrubGesture(options: options)
        transport.seek(toFraction: try beginning())
        // Before the film plays, because the finger begins at that frame.
        if isWarm { session.waitForPreviews(aroundFrame: try frame(transport.fraction)) }
        if script.isPlaying { transport.play() }
        let start = clock.now
        // Not the player itself: it retains the session, which would then retain itself.
        session.observe { [showsOnlyReducedPictures] update in
            // A failure is not a shown picture, and is reported below.
            guard update.stage != .failed else { return }
            let time = (clock.now - start).wholeNanoseconds
            let isAnswer = update.stage == .exact || update.stage == .preview && showsOnlyReducedPictures
            shown.withLock {
                $0.append(
                    Shown(
                        request: update.request, requestedFrame: update.requestedFrame, frame: update.frame,
                        verdict: update.verdict, isExact: update.stage == .exact,
                        isRight: update.stage == .exact || update.stage == .preview, isAnswer: isAnswer,
                        time: time, latency: update.latency.wholeNanoseconds))
            }
            switch update.stage {
            case _ where isAnswer: ending.withLock { $0.exact = (update.request, update.picture) }
            case .awaitingMemory: ending.withLock { $0.starved = update.request }
            default: return
            }
            changed.offer(())
        }
        session.observeFailures { request, _, error in
            ending.withLock { $0.failure = (request, error) }
            changed.offer(())
        }
        var moves: [Move] = []
        var requests = 0
        for event in script.events {
            let due = start + .milliseconds(event.milliseconds)
            Clock.sleep(nanoseconds: (due - clock.now).wholeNanoseconds)
            let actions: ScrubGesture.Actions
            switch event.phase {
            case .began:
                actions = gesture.began(at: transport.fraction, isPlaying: transport.isPlaying)
                session.scrub(toFrame: try frame(transport.fraction), isMoving: false)
                requests += 1
            case .changed: actions = gesture.changed(translation: event.translation, width: script.width)
            case .ended: actions = gesture.ended()
            case .cancelled: actions = gesture.cancelled()
            case .failed: actions = gesture.failed()
            }
            transport.apply(actions)
            if let target = actions.target {
                let number = try frame(target)
                let time = (clock.now - start).wholeNanoseconds
                session.scrub(toFrame: number, isMoving: !event.phase.isEnd)
                requests += 1
                moves.append(Move(request: requests, frame: number, time: time))
            }
        }
        session.rest()
        try wait(for: requests, ending, changed)
        let picture = ending.withLock { $0.exact?.picture }
        let pictures = shown.withLock { $0 }
        let end = pictures.last { $0.request == requests && $0.isAnswer }
        // There is no other picture with which to compare a reduced one.
        let hash =
            showsOnlyReducedPictures ? nil : try picture.map { (picture) throws(ScrubError) in try picture.streamMD5() }
        return Recording(
            moves: moves, shown: pictures, counters: session.counters, last: end.map { ($0, hash) },
            isPlaying: transport.isPlaying,
            previews: session.previews.map {
                Previews(
                    frameCount: $0.frameCount, byteCount: $0.byteCount, longSide: $0.longSide,
                    processorTime: $0.processorTime)
            })
    }

    /// Waits until a request has its exact picture.
    private func wait(
        for request: Int, _ ending: Locked<Ending>, _ changed: BoundedQueue<Void>
    ) throws(ScrubError) {
        while true {
            let (answered, failure, starved) = ending.withLock { ($0.exact?.request, $0.failure, $0.starved) }
            if answered == request { return }
            if let failure, failure.request == request { throw failure.error }
            if starved == request {
                // The picture held here may be using the missing memory. It is released outside the lock, because that
                // wakes the session.
                let held = ending.withLock { ending in
                    defer { ending.exact = nil }
                    return ending.exact?.picture
                }
                withExtendedLifetime(held) {}
                session.waitUntilIdle()
                if ending.withLock({ $0.exact?.request == request }) { return }
                throw ScrubError(
                    .unavailable, "there is not enough memory to decode the last frame", advice: "use a larger --budget"
                )
            }
            _ = changed.pop()
        }
    }

    /// Returns the playhead before the gesture: a fraction as written, or the time of the named frame.
    private func beginning() throws(ScrubError) -> Rational {
        let position = try FramePosition(script.startPosition)
        if case .fraction(let fraction) = position.kind { return fraction }
        return asset.fraction(ofFrame: try asset.presentedFrame(nearest: position).number)
    }

    private func frame(_ fraction: Rational) throws(ScrubError) -> Int {
        try asset.presentedFrame(nearest: .fraction(fraction)).number
    }
}
#endif
