internal import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubMediaCache
internal import ScrubBase

extension RemoteState {
    /// Returns the missing range of a request, for messages.
    func range(of id: Int) -> Range<Int64>? { board.index(of: id).map { board.transfers[$0].range } }

    /// Checks the header of a response.
    ///
    /// - Returns: whether its body is needed.
    mutating func receive(_ head: HTTPHead, of id: Int) -> HTTPVerdict {
        guard let answer = answers[id], let index = board.index(of: id), board.transfers[index].phase == .running else {
            return .stop
        }
        board.hasBeenAnswered = true
        answeredURL = head.url
        if let several = answer.askedSeveral { return receive(head, of: id, several) }
        let range = board.transfers[index].range
        let isFirst = known.total == nil
        let judged = known.judge(head, asked: answer.asked)
        guard remember(head, judged, answer) else { return stop(id, .again) }
        switch judged {
        case .part(let part):
            guard isFirst else {
                confirm()
                return take(id, until: part.upperBound)
            }
            guard let total = head.contentRange?.total else {
                // Parts are answered without the total size; a HEAD request may determine it.
                asksForTotal = true
                return stop(id, .again)
            }
            learn(total: total, head.validator)
            return take(id, until: part.upperBound)
        case .whole: return receiveWhole(head, of: id)
        case .changed(let total, let validator):
            let error = errors.changed(at: range)
            if let total { successor = (total, validator) }
            board.fail(error)
            return stop(id, .hopeless(error))
        case .pastEnd(let total):
            if isFirst, total == 0 {
                learn(total: 0, head.validator)
                return stop(id, .cancelled)
            }
            return stop(id, .hopeless(errors.missing(at: range)))
        case .status(let status, let retryAfter):
            let error = errors.status(status, retryAfter: retryAfter, at: range)
            if [401, 403, 404, 410].contains(status) { board.fail(error) }
            return stop(id, .failed(.status(status, retryAfter: retryAfter), error))
        case .coded(let coding):
            let error = errors.coded(coding, at: range)
            board.fail(error)
            return stop(id, .hopeless(error))
        case .wrong(let cause): return stop(id, .hopeless(errors.wrong(cause, at: range)))
        case .parts: return stop(id, .hopeless(errors.wrong("it has several parts instead of one", at: range)))
        }
    }

    private mutating func receiveWhole(_ head: HTTPHead, of id: Int) -> HTTPVerdict {
        let isFirst = known.total == nil
        let length = head.contentLength
        if isFirst {
            if let length { learn(total: length, head.validator) } else { known.validator = head.validator }
            if asksForTotal, length != nil {
                // Parts are supported: of the whole content, only the originally requested range is used.
                return take(id, until: range(of: id)?.upperBound ?? 0)
            }
        } else if !board.isWhole {
            // A CDN server may occasionally ignore ranges.
            wholeAnswers += 1
            let isSmall = (length ?? .max) <= 1 << 20
            guard isSmall || wholeAnswers > 2 else { return stop(id, .again) }
        }
        if !isFirst { confirm() }
        board.becameWhole(id)
        answers[id]?.next = 0
        if !fitsWhole {
            board.fail(errors.tooLarge(memoryByteLimit))
            return stop(id, .hopeless(errors.tooLarge(memoryByteLimit)))
        }
        return take(id, until: known.total)
    }

    /// Whether the whole body can be stored.
    private var fitsWhole: Bool {
        mediumState == .wanted || medium?.canRecord == true || (known.total ?? 0) <= Int64(memoryByteLimit)
    }

    private mutating func learn(total: Int64, _ validator: Validator) {
        known.total = total
        known.validator = validator
        board.learned(total: total)
        if mediumState == .unknown { mediumState = .wanted }
    }

    mutating func confirm() {
        if isUnconfirmed { (isUnconfirmed, mustRenew) = (false, true) }
    }

    mutating func take(_ id: Int, until end: Int64?) -> HTTPVerdict {
        answers[id]?.end = end
        return .take
    }

    mutating func stop(_ id: Int, _ ending: FetchScheduler.Ending) -> HTTPVerdict {
        answers[id]?.ending = ending
        return .stop
    }

    /// Handles bytes of a body.
    ///
    /// - Returns: whether more is needed, and whether a reader waits for these bytes.
    mutating func arrive(_ bytes: UnsafeRawBufferPointer, of id: Int) -> (HTTPVerdict, mustRing: Bool) {
        let place = answers[id]?.next ?? 0
        let wasProbing = board.isProbing
        let verdict = unsafe receive(bytes, of: id)
        let end = answers[id]?.next ?? 0
        let chunk = RemoteWorker.chunk
        let mustRing =
            verdict == .stop || place / chunk != end / chunk || store.byteCount > Int64(memoryByteLimit)
            || board.readers.values.contains { (place..<max(place, end)).contains($0.wanted.lowerBound) }
            || answers[id]?.askedSeveral != nil && (hasReaderToWake || wasProbing && !board.isProbing)
        return (verdict, mustRing)
    }

    private mutating func receive(_ bytes: UnsafeRawBufferPointer, of id: Int) -> HTTPVerdict {
        cost.fetchedByteCount += Int64(bytes.count)
        guard let answer = answers[id], answer.ending == nil, let index = board.index(of: id),
            board.transfers[index].phase == .running
        else { return .stop }
        if answer.askedSeveral != nil { return unsafe receiveParts(bytes, of: id) }
        let place = answer.next
        if let end = answer.end, Int64(bytes.count) > end - place {
            guard answer.asked != nil || board.isWhole else {
                _ = unsafe keep(UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(end - place))), at: place, of: id)
                return stop(id, .complete)
            }
            return stop(id, .hopeless(errors.wrong("it has more bytes than its header declares", at: range(of: id))))
        }
        if known.total == nil, place + Int64(bytes.count) > Int64(memoryByteLimit) {
            board.fail(errors.tooLarge(memoryByteLimit))
            return stop(id, .hopeless(errors.tooLarge(memoryByteLimit)))
        }
        return unsafe keep(bytes, at: place, of: id) ? .take : stop(id, .cancelled)
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, at place: Int64, of id: Int) -> Bool {
        // A request may have been truncated since it was made; another one delivers the rest.
        let end = board.index(of: id).map { board.transfers[$0].range.upperBound } ?? place
        let part = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: max(0, end - place))))
        unsafe store.insert(part, at: place)
        fetched.insert(place..<place + Int64(part.count))
        answers[id]?.next = place + Int64(part.count)
        if unsafe !part.isEmpty { noteProgress(of: id, from: place, to: place + Int64(part.count)) }
        return board.arrived(id, count: Int64(part.count))
    }

    /// Records that these bytes must be recorded.
    mutating func noteProgress(of id: Int, from place: Int64, to end: Int64) {
        guard mediumState != .settled || medium != nil else { return }
        unwritten[id, default: ByteRanges()].insert(place..<end)
    }

    /// Records the end of a request.
    mutating func end(_ result: Result<Void, HTTPFailure>, of id: Int, _ measured: HTTPMeasurements?, now: Int64) {
        guard let answer = answers.removeValue(forKey: id) else { return }
        measure(measured)
        let range = range(of: id)
        var ending: FetchScheduler.Ending
        switch result {
        case _ where answer.ending != nil: ending = answer.ending ?? .complete
        case .success:
            if board.isWhole, known.total == nil { learn(total: answer.next, known.validator) }
            ending = .complete
        case .failure(let failure):
            let error = errors.failure(failure, at: range)
            let isFresh = measured?.reusedConnection != true
            switch failure {
            case _ where answer.end == nil && failure != .cancelled && forget(answer.shortcut): ending = .again
            case .connectionLost(let isBefore):
                ending = .failed(.connectionLost(beforeFirstByte: isBefore, isFresh: isFresh), error)
            case .timedOut, .tooSlow: ending = .failed(.timedOut, error)
            case .refused: ending = .failed(.refused(hasAnsweredBefore: board.hasBeenAnswered), error)
            default: ending = .hopeless(error)
            }
        }
        board.ended(id, ending, now: now, using: &random)
        cost.retryCount = board.retryCount
        if board.index(of: id) == nil { ended.insert(id) }
    }

    private mutating func measure(_ measured: HTTPMeasurements?) {
        guard let measured else { return }
        cost.requestCount += Int64(max(0, measured.requestCount - 1))
        guard let first = measured.firstByte else { return }
        board.link.answered(
            after: first.wholeNanoseconds,
            connect: measured.reusedConnection ? nil : measured.connect?.wholeNanoseconds)
        guard let total = measured.total else { return }
        let span = total - first - (measured.connect ?? .zero)
        board.link.transferred(measured.byteCount, in: span.wholeNanoseconds)
    }
}
