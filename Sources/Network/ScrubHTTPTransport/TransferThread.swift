internal import CScrubCurl
internal import ScrubSourcesLogic
internal import ScrubBase

/// The work of the client's thread. It starts transfers as their turn comes, runs libcurl, checks timeouts, and reports
/// the results to receivers.
@safe final class TransferThread {
    private let loop: TransferLoop
    private let multi: OpaquePointer
    private var lines: OriginQueues<RunningTransfer>
    /// All transfers that have not ended, whether waiting or in progress.
    private var all: [ObjectIdentifier: RunningTransfer] = [:]
    /// The transfers in progress, by libcurl's handle.
    private var running: [OpaquePointer: RunningTransfer] = unsafe [:]
    /// The transfers whose turn it is.
    private var ready: [RunningTransfer] = []
    private var isClosed = false

    /// Runs the thread, and returns when the client is closed.
    static func run(_ loop: TransferLoop) {
        ccurl_block_signals()
        guard let multi = unsafe ccurl_multi_init() else {
            return end(loop.ended(), .other("not enough memory for a connection"))
        }
        unsafe ccurl_multi_set_kept_connections(multi, 16)
        unsafe loop.began(TransferLoop.Multi(handle: multi))
        unsafe TransferThread(loop, multi).work()
        let late = loop.ended()
        unsafe ccurl_multi_cleanup(multi)
        end(late, .cancelled)
    }

    private static func end(_ messages: [TransferLoop.Message], _ failure: HTTPFailure) {
        for case .start(let transfer) in messages { transfer.end(.failure(failure)) }
    }

    private init(_ loop: TransferLoop, _ multi: OpaquePointer) {
        self.loop = loop
        unsafe self.multi = unsafe multi
        lines = OriginQueues(limit: loop.options.connectionsPerHost)
    }

    private func work() {
        while true {
            takeMessages()
            guard !isClosed else { break }
            beginReady()
            unsafe ccurl_multi_perform(multi)
            takeResults()
            watchTime()
            // A transfer that begins now is libcurl's next work, and the wait below ends at once.
            beginReady()
            unsafe ccurl_multi_poll(multi, millisecondsToNextDeadline)
        }
        for transfer in Array(all.values) { abandon(transfer, .cancelled) }
    }

    private func takeMessages() {
        let (messages, closed) = loop.take()
        isClosed = closed
        for message in messages {
            switch message {
            case .start(let transfer):
                let new = RunningTransfer(transfer, loop.options)
                all[ObjectIdentifier(transfer)] = new
                enter(new, new.url.origin)
            case .cancel(let transfer):
                if let known = all[ObjectIdentifier(transfer)] { abandon(known, .cancelled) }
            }
        }
    }

    /// Starts a request, or queues it.
    private func enter(_ transfer: RunningTransfer, _ origin: RemoteURL.Origin) {
        let goes = lines.enter(transfer, origin)
        transfer.place = goes ? .going(origin) : .waiting(origin)
        if goes { ready.append(transfer) }
    }

    private func beginReady() {
        // Each transfer that cannot start lets another one start. This is a loop, so that the stack does not grow.
        while !ready.isEmpty {
            let now = ready
            ready = []
            for transfer in now where all[ObjectIdentifier(transfer.transfer)] === transfer { begin(transfer) }
        }
    }

    private func begin(_ transfer: RunningTransfer) {
        transfer.beginRequest(at: .now)
        if let refusal = loop.options.policy.refusal(of: transfer.url) {
            return abandon(transfer, .forbiddenAddress(refusal))
        }
        guard let easy = unsafe ccurl_easy_init() else {
            return abandon(transfer, .other("not enough memory for a connection"))
        }
        unsafe transfer.easy = unsafe easy
        unsafe running[easy] = transfer
        if let failure = unsafe transfer.configure(easy) { return abandon(transfer, failure) }
        if unsafe ccurl_multi_add(multi, easy) != 0 { abandon(transfer, .other("libcurl rejected the request")) }
    }

    private func takeResults() {
        var code: Int32 = 0
        while let easy = unsafe ccurl_multi_next_done(multi, &code) {
            if let transfer = unsafe running[easy] { finish(transfer, code) }
        }
    }

    /// Completes a request that has ended: with the next one after a redirect, or with the result.
    private func finish(_ transfer: RunningTransfer, _ code: Int32) {
        transfer.takeMeasurements()
        let result = transfer.result(code)
        release(transfer)
        if transfer.transfer.isCancelled {
            end(transfer, .failure(.cancelled))
        } else if let next = transfer.redirect, transfer.failure == nil {
            enter(transfer, next.origin)
        } else {
            end(transfer, result)
        }
    }

    /// Ends a transfer in any state.
    private func abandon(_ transfer: RunningTransfer, _ failure: HTTPFailure) {
        transfer.takeMeasurements()
        release(transfer)
        end(transfer, .failure(failure))
    }

    private func end(_ transfer: RunningTransfer, _ result: Result<Void, HTTPFailure>) {
        all[ObjectIdentifier(transfer.transfer)] = nil
        transfer.transfer.measure { $0.total = transfer.began.map { ContinuousClock.now - $0 } }
        transfer.transfer.end(result)
    }

    /// Returns the handle and the place in line, and starts the next transfer.
    private func release(_ transfer: RunningTransfer) {
        if let easy = unsafe transfer.easy {
            unsafe running[easy] = nil
            unsafe ccurl_multi_remove(multi, easy)
            // Not reused: a handle that failed keeps a buffer and accepts no further options for it.
            unsafe ccurl_easy_cleanup(easy)
            unsafe transfer.easy = nil
        }
        unsafe ccurl_list_free(transfer.fields)
        unsafe transfer.fields = nil
        switch transfer.place {
        case .nowhere: break
        case .waiting(let origin): lines.remove(origin) { $0 === transfer }
        case .going(let origin):
            if let next = lines.leave(origin) {
                next.place = .going(origin)
                ready.append(next)
            }
        }
        transfer.place = .nowhere
    }

    /// Ends overdue transfers.
    private func watchTime() {
        let now = ContinuousClock.now
        for transfer in unsafe Array(running.values) {
            guard let failure = transfer.overdue(at: now) else { continue }
            // A redirect is followed, whether or not its body was complete.
            if transfer.redirect != nil, !transfer.isOverdueAltogether(at: now) {
                finish(transfer, Int32(CCURL_OPERATION_TIMEDOUT))
            } else {
                abandon(transfer, failure)
            }
        }
    }

    private var millisecondsToNextDeadline: Int32 {
        guard let next = unsafe running.values.lazy.compactMap(\.deadline).min() else { return Int32.max }
        // Rounded up, so that the wait does not end slightly too early and start again.
        return Int32(clamping: max(0, (next - .now).wholeNanoseconds) / 1_000_000 + 1)
    }
}
