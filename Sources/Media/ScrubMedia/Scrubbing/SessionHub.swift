internal import ScrubLibAV

extension ScrubSession {
    /// The listeners of a session.
    struct Outlets {
        var updates: [Int: @Sendable (ScrubSession.Update) -> Void] = [:]
        var events: [Int: @Sendable (ScrubSession.Event) -> Void] = [:]
        var failures: [@Sendable (Int, Int, ScrubError) -> Void] = []
        /// Closures that end the streams, by the number of their listener.
        var ends: [Int: @Sendable () -> Void] = [:]
        /// Waits for a request, by the number of their listener. They end when the request is cancelled or replaced.
        var waits: [Int: (request: Int, end: @Sendable () -> Void)] = [:]
        /// Called once when there is nothing left to do.
        var idle: [@Sendable () -> Void] = []
        var next = 0
        /// Whether the owner ended the session.
        var isEnded = false
        var counters = ScrubSession.Counters()
    }

    /// The hub of a session's updates. The decoding thread shares it, and it does not keep the session alive.
    final class Hub: Sendable {
        let asset: VideoAsset
        let start: Int64
        let outlets = Locked(Outlets())

        init(_ asset: VideoAsset, start: Int64) { (self.asset, self.start) = (asset, start) }

        func tell(_ event: ScrubSession.Event, isNew: Bool = false, gap: Duration? = nil) {
            tell(isNew: isNew, gap: gap) { _ in event }
        }

        /// Reports an event that is made from the number of requests before it.
        private func tell(isNew: Bool = false, gap: Duration? = nil, _ make: (Int) -> ScrubSession.Event) {
            let (event, listeners) = outlets.withLock { outlets in
                let event = make(outlets.counters.requestCount)
                outlets.counters.count(event, isNew: isNew, gap: gap)
                return (event, outlets.events)
            }
            for listener in listeners.values { listener(event) }
        }

        /// Removes a listener.
        func forget(_ id: Int) {
            // Released outside the lock: an app's closure may own the session or an observation of it.
            let removed = outlets.withLock { outlets in
                (
                    outlets.updates.removeValue(forKey: id), outlets.events.removeValue(forKey: id),
                    outlets.ends.removeValue(forKey: id), outlets.waits.removeValue(forKey: id)
                )
            }
            withExtendedLifetime(removed) {}
        }

        /// Ends all current and future listeners.
        ///
        /// - Returns: closures that end the streams; call them outside the lock.
        func end() -> [@Sendable () -> Void] {
            let removed = outlets.withLock { outlets in
                defer { (outlets.updates, outlets.events, outlets.ends, outlets.isEnded) = ([:], [:], [:], true) }
                return (outlets.updates, outlets.events, outlets.ends)
            }
            // The listeners are released here, outside the lock, as in ``forget(_:)``.
            return Array(removed.2.values)
        }

        /// Ends the waits for a request and for those before it, which was cancelled or replaced.
        func endWaits(through request: Int) {
            let ended = outlets.withLock { outlets in
                outlets.waits.isEmpty ? [] : outlets.waits.values.filter { $0.request <= request }.map(\.end)
            }
            for end in ended { end() }
        }

        /// Whether the owner ended the session.
        var isEnded: Bool { outlets.withLock { $0.isEnded } }

        /// Whether anyone listens to the pictures.
        var hasListeners: Bool { outlets.withLock { !$0.updates.isEmpty } }

        func requested(_ frame: Int, at time: Int64) {
            tell { plain(.requested, frame, request: $0 + 1, at: time) }
        }

        func cancelled(_ frame: Int, decoded: Int, at time: Int64) {
            tell { plain(.cancelled, frame, request: $0, decoded: decoded, at: time) }
        }

        func failed(_ error: ScrubError, _ request: ScrubSchedule.Request, at time: Int64) {
            tell(plain(.failed(error.description), request.frame, request: request.serial, at: time))
            for listener in outlets.withLock({ $0.failures }) { listener(request.serial, request.frame, error) }
        }

        private func plain(
            _ kind: ScrubSession.Event.Kind, _ frame: Int, request: Int, decoded: Int = 0, at time: Int64
        ) -> ScrubSession.Event {
            ScrubSession.Event(
                kind: kind, time: .nanoseconds(time - start), request: request, requestedFrame: frame,
                shownFrame: nil, latency: .zero, decodedPictureCount: decoded, isCacheHit: false)
        }

        func show(_ showing: ScrubSessionState<SharedFrame>.Showing) {
            // A failure is not an event of a picture: `failed` reports it.
            if showing.error == nil { note(showing) }
            let listeners = outlets.withLock { $0.updates }
            guard !listeners.isEmpty else { return }
            let update = update(showing)
            for listener in listeners.values { listener(update) }
        }

        /// Reports a picture as events.
        private func note(_ showing: ScrubSessionState<SharedFrame>.Showing) {
            let latency = Duration.nanoseconds(showing.time - showing.request.time)
            let stage = showing.stage
            if let gap = showing.gap, gap > 100_000_000 { tell(event(.stalled, showing, latency: .nanoseconds(gap))) }
            tell(
                event(.shown(stage), showing, latency: latency), isNew: showing.isNew,
                gap: showing.gap.map { Duration.nanoseconds($0) })
        }

        func update(_ showing: ScrubSessionState<SharedFrame>.Showing) -> ScrubSession.Update {
            ScrubSession.Update(
                request: showing.request.serial, requestedFrame: showing.request.frame,
                frame: asset.frames[showing.frame], stage: showing.stage, verdict: showing.verdict,
                picture: showing.loan.map { FramePicture($0, asset: asset) },
                isReduced: showing.isReduced,
                latency: .nanoseconds(showing.time - showing.request.time),
                isCacheHit: showing.isCacheHit, decodedPictureCount: showing.decoded, error: showing.error)
        }

        private func event(
            _ kind: ScrubSession.Event.Kind, _ showing: ScrubSessionState<SharedFrame>.Showing, latency: Duration
        ) -> ScrubSession.Event {
            ScrubSession.Event(
                kind: kind, time: .nanoseconds(showing.time - start), request: showing.request.serial,
                requestedFrame: showing.request.frame, shownFrame: showing.frame, latency: latency,
                decodedPictureCount: showing.decoded, isCacheHit: showing.isCacheHit)
        }
    }
}
