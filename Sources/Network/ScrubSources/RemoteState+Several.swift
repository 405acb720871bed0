internal import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubBase

// Responses to requests for several ranges. Their faults never fail a read: missing bytes are requested again in single
// ranges.
extension RemoteState {
    /// Checks the header of a response.
    mutating func receive(_ head: HTTPHead, of id: Int, _ asked: ByteRanges) -> HTTPVerdict {
        guard let answer = answers[id], let total = known.total else { return .stop }
        let judged = known.judge(head, asked: asked)
        guard remember(head, judged, answer) else { return stop(id, .again) }
        switch judged {
        case .parts(let boundary):
            confirm()
            let tag = head.single("etag")
            answers[id]?.parser = MultipartRanges(boundary: boundary, asked: asked, total: total, entityTag: tag)
            return take(id, until: asked.span?.upperBound)
        case .part(let part):
            confirm()
            answers[id]?.next = part.lowerBound
            return take(id, until: part.upperBound)
        case .changed(let total, let validator):
            let error = errors.changed(at: range(of: id))
            if let total { successor = (total, validator) }
            board.fail(error)
            return stop(id, .hopeless(error))
        case .whole, .pastEnd, .status, .coded, .wrong: return stop(id, .complete)
        }
    }

    /// Handles bytes of a body.
    mutating func receiveParts(_ bytes: UnsafeRawBufferPointer, of id: Int) -> HTTPVerdict {
        guard var parser = answers[id]?.parser else {
            let place = answers[id]?.next ?? 0
            guard let end = answers[id]?.end, Int64(bytes.count) <= end - place else { return stop(id, .complete) }
            answers[id]?.next = place + Int64(bytes.count)
            return unsafe keepParts(bytes, at: place, of: id) ? .take : stop(id, .cancelled)
        }
        answers[id]?.parser = nil
        var isWanted = true
        let step = unsafe parser.take(bytes) { piece, place in
            isWanted = unsafe keepParts(piece, at: place, of: id)
            return isWanted
        }
        answers[id]?.parser = parser
        guard case .more = step else { return stop(id, .complete) }
        return isWanted ? .take : stop(id, .cancelled)
    }

    /// Stores bytes of a part.
    ///
    /// - Returns: whether more is needed.
    private mutating func keepParts(_ bytes: UnsafeRawBufferPointer, at place: Int64, of id: Int) -> Bool {
        guard let index = board.index(of: id), let missing = board.transfers[index].parts else { return false }
        var isWanted = board.wantsMore(of: board.transfers[index])
        for part in missing.intersection(place..<place + Int64(bytes.count)).ranges {
            let piece = unsafe bytes[Int(part.lowerBound - place)..<Int(part.upperBound - place)]
            unsafe store.insert(UnsafeRawBufferPointer(rebasing: piece), at: part.lowerBound)
            fetched.insert(part)
            noteProgress(of: id, from: part.lowerBound, to: part.upperBound)
            isWanted = board.arrived(id, in: part)
        }
        return isWanted
    }

    /// Whether a reader waits for available bytes.
    var hasReaderToWake: Bool { board.readers.values.contains { board.memory.contains($0.wanted.lowerBound) } }
}
