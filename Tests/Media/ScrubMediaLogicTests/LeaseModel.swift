import ScrubMediaLogic
import ScrubTestSupport

/// The duties of a ``DecoderLeaseScheduler``, as lists.
struct LeaseModel {
    private(set) var book: DecoderLeaseScheduler
    private var now: Int64 = 0
    /// Requests that wait or whose grant was not taken, in order.
    private var line: [Int] = []
    private var busy: [Int] = []
    /// Longest idle first.
    private var idle: [Int] = []
    private var evicting: [Int] = []

    init(limit: Int) { book = DecoderLeaseScheduler(limit: limit) }

    /// Does something by chance.
    ///
    /// - Returns: the fault; nil if all is as it should be.
    mutating func step(_ generator: inout SplitMix, media: Int) -> String? {
        now += Int64.random(in: 0..<50_000_000, using: &generator)
        switch Int.random(in: 0..<11, using: &generator) {
        case 0, 1, 2:
            if line.count + busy.count + idle.count < media { line.append(book.request(now: now)) }
        case 3:
            if let request = line.randomElement(using: &generator) {
                guard book.cancel(request, now: now) else { return "a request in line was not cancelled" }
                line.removeAll { $0 == request }
            }
        case 4, 5: return takeGrant()
        case 6:
            if let lease = busy.randomElement(using: &generator) {
                guard book.becomeIdle(lease) else { return "one in use was evicted" }
                busy.removeAll { $0 == lease }
                idle.append(lease)
            }
        case 7:
            if let lease = idle.randomElement(using: &generator) {
                let isBusy = book.becomeBusy(lease, now: now)
                if isBusy {
                    idle.removeAll { $0 == lease }
                    busy.append(lease)
                } else if let problem = takeEvictions() {
                    return problem
                } else if idle.contains(lease) {
                    return "an idle one refused to work"
                }
            }
        case 8:
            if let lease = (busy + idle + evicting).randomElement(using: &generator) {
                // Evictions are told before the release here, as the pool tells them: else the list would not know.
                if let problem = takeEvictions() { return problem }
                guard book.release(lease, now: now) else { return "a lease was gone" }
                busy.removeAll { $0 == lease }
                idle.removeAll { $0 == lease }
                evicting.removeAll { $0 == lease }
            }
        case 9:
            let hadRoom = book.waitingCount == 0 && book.attachedCount < book.limit
            let lease = book.idleLease(now: now)
            guard (lease != nil) == hadRoom else { return "room \(hadRoom), and an idle one is \(lease ?? -1)" }
            if let lease { idle.append(lease) }
        default:
            if let lease = busy.randomElement(using: &generator) {
                book.noteProgress(lease, pictures: Int.random(in: 0..<12, using: &generator))
                let isWanted = book.isWantedBack(lease, now: now)
                if isWanted, book.waitingCount == 0 { return "wanted by nobody" }
            }
        }
        return takeEvictions() ?? problem
    }

    /// Gives everything back.
    mutating func finish() -> String? {
        while !line.isEmpty || !(busy + idle + evicting).isEmpty {
            if let problem = takeEvictions() ?? takeGrant() { return problem }
            for lease in busy + idle + evicting where !book.release(lease, now: now) { return "a lease was gone" }
            (busy, idle, evicting) = ([], [], [])
        }
        return problem
    }

    private mutating func takeGrant() -> String? {
        guard let grant = book.takeGrant() else { return nil }
        guard grant.request == line.first else { return "\(grant.request) overtook \(line.first ?? -1)" }
        line.removeFirst()
        busy.append(grant.lease)
        return nil
    }

    private mutating func takeEvictions() -> String? {
        while let lease = book.takeEviction() {
            guard lease == idle.first else { return "\(lease) was evicted instead of \(idle.first ?? -1)" }
            idle.removeFirst()
            evicting.append(lease)
        }
        return nil
    }

    private var problem: String? {
        let untaken = line.count - book.waitingCount
        let held = busy.count + idle.count + evicting.count
        if untaken < 0 { return "somebody waits who is not in line" }
        if book.attachedCount != held + untaken {
            return "\(book.attachedCount) attached, \(held) held, \(untaken) to be taken"
        }
        if book.attachedCount > book.limit || book.peakAttachedCount > book.limit { return "over the limit" }
        if book.waitingCount > 0, book.attachedCount < book.limit { return "a grant was lost" }
        if book.waitingCount > evicting.count, !idle.isEmpty { return "somebody waits beside an idle decoder" }
        return nil
    }
}
