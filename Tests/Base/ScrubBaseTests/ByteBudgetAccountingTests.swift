import ScrubBase
import ScrubTestSupport
import Testing

/// The rules of the ledger over random loans, spare work and screens: whatever happened before, each holds.
@Suite struct MemoryLedgerTests {
    private struct Loan {
        let member: Int
        let bytes: Int
    }

    /// A ledger with members and screens that change what they have.
    private struct Course {
        var random: SplitMix
        var ledger: ByteBudgetAccounting
        private(set) var members: [(number: Int, guarantee: MemoryGuarantee)] = []
        private var screens: [Int] = []
        private var loans: [Loan] = []
        private var spare: [Int: Int] = [:]

        init(seed: Int) {
            random = SplitMix(UInt64(seed))
            ledger = ByteBudgetAccounting(limit: 400)
            for _ in 0...Int.random(in: 0..<5, using: &random) {
                let guarantee = MemoryGuarantee(
                    work: .random(in: 0..<60, using: &random), loans: .random(in: 0..<30, using: &random))
                let isShown = random.isOne(in: 2)
                if let (number, told) = ledger.join(guarantee, isShown: isShown) {
                    #expect(told.isEmpty)
                    members.append((number, guarantee))
                }
            }
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                screens.append(ledger.addScreen(picture: .random(in: 0..<40, using: &random)))
            }
        }

        mutating func step() {
            let member = members[.random(in: 0..<members.count, using: &random)].number
            let bytes = Int.random(in: 0..<50, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: lend(bytes, by: member, isAhead: false)
            case 2: lend(bytes, by: member, isAhead: true)
            case 3:
                guard !loans.isEmpty else { return }
                let loan = loans.remove(at: .random(in: 0..<loans.count, using: &random))
                ledger.takeBack(loan.bytes, by: loan.member)
            case 4:
                guard ledger.takeSpareWork(bytes, of: member) else { return }
                spare[member, default: 0] += bytes
                // All that is guaranteed still has room.
                var all = ledger
                for (number, guarantee) in members {
                    let unlent = max(0, guarantee.loans - ledger.lent(by: number))
                    #expect(all.lend(unlent, by: number, isAhead: false).isLent)
                }
            default:
                guard let bytes = spare.removeValue(forKey: member) else { return }
                ledger.giveSpareWork(bytes, of: member)
                #expect(!ledger.isSpareWorkWanted(of: member))
            }
        }

        private mutating func lend(_ bytes: Int, by member: Int, isAhead: Bool) {
            let before = ledger.lent
            let (isLent, told) = ledger.lend(bytes, by: member, isAhead: isAhead)
            #expect(ledger.lent == before + (isLent ? bytes : 0))
            // What is told has spare work, and is told once.
            #expect(told.allSatisfy { spare[$0] != nil && ledger.isSpareWorkWanted(of: $0) })
            guard isLent else { return #expect(!isAhead || told.isEmpty) }
            loans.append(Loan(member: member, bytes: bytes))
            let work = members.reduce(0) { $0 + $1.guarantee.work } + spare.values.reduce(0, +)
            #expect(work + ledger.lent <= ledger.limit, "work is never lent")
        }

        /// Whatever callers hold, each member has its guarantee, apart from spare work that goes for it.
        func expectGuarantees() {
            for (number, guarantee) in members {
                var now = ledger
                let unlent = max(0, guarantee.loans - now.lent(by: number))
                var (isLent, told) = now.lend(unlent, by: number, isAhead: false)
                if !isLent {
                    #expect(Set(told).isSubset(of: Set(spare.keys)) && !spare.isEmpty)
                    for (member, bytes) in spare { now.giveSpareWork(bytes, of: member) }
                    (isLent, told) = now.lend(unlent, by: number, isAhead: false)
                }
                #expect(isLent, "\(unlent) of \(guarantee) by \(number)")
            }
        }

        /// What may be lent ahead of its time may be lent to one that waits.
        mutating func expectOrder() {
            for (number, _) in members {
                let bytes = Int.random(in: 0..<80, using: &random)
                var (ahead, waited) = (ledger, ledger)
                if ahead.lend(bytes, by: number, isAhead: true).isLent {
                    #expect(waited.lend(bytes, by: number, isAhead: false).isLent)
                }
            }
        }

        /// Who was refused is told once bytes come back; in the end nothing is left.
        mutating func end() {
            var refused: [Int] = []
            for (number, _) in members where !ledger.lend(ledger.limit, by: number, isAhead: false).isLent {
                refused.append(number)
            }
            #expect(Set(ledger.takeWaiting()).isSuperset(of: refused) && ledger.takeWaiting().isEmpty)
            for loan in loans.shuffled(using: &random) { ledger.takeBack(loan.bytes, by: loan.member) }
            for (member, bytes) in spare { ledger.giveSpareWork(bytes, of: member) }
            #expect(ledger.lent == 0)
            for (number, _) in members { ledger.leave(number) }
            for screen in screens { ledger.removeScreen(screen) }
            #expect(ledger.memberCount == 0 && ledger.join(.init(work: 400, loans: 0), isShown: true) != nil)
        }
    }

    @Test(arguments: 0..<200) func rulesHoldInAnyOrder(seed: Int) {
        var course = Course(seed: seed)
        guard !course.members.isEmpty else { return }
        for _ in 0..<200 {
            course.step()
            course.expectGuarantees()
            course.expectOrder()
        }
        course.end()
    }

    /// A member whose guarantee has no room beside the others' does not join, and changes nothing.
    @Test func guaranteesFitOrNothing() throws {
        var ledger = ByteBudgetAccounting(limit: 100)
        let first = try ledger.member(.init(work: 60, loans: 20))
        let refused = ledger.join(.init(work: 11, loans: 10), isShown: true)
        #expect(refused == nil && ledger.memberCount == 1)
        #expect(ledger.join(.init(work: .max, loans: .max), isShown: true) == nil)
        #expect(ledger.lend(40, by: first, isAhead: false).isLent)
        #expect(ledger.join(.init(work: 10, loans: 10), isShown: false) != nil, "loans of others do not count")
        #expect(MemoryGuarantee(work: -1, loans: -5) == .none)
    }

    /// Bytes in use are counted to the byte. A member that waits for them is told once.
    @Test func bytesInUseAreExact() throws {
        var ledger = ByteBudgetAccounting(limit: 100)
        let member = try ledger.member(.none)
        #expect(ledger.take(100, waiter: nil) && !ledger.take(1, waiter: member))
        #expect(ledger.takeWaiting() == [member] && ledger.takeWaiting().isEmpty)
        ledger.release(100)
        #expect(ledger.used == 0 && ledger.peak == 100)
    }

    /// Room is made of the member's own pictures, then of buffers for reuse, then of others' pictures, those first that
    /// no screen shows.
    @Test func whatIsWorthLeastGoesFirst() throws {
        var ledger = ByteBudgetAccounting(limit: 100)
        let members = try [true, false, true].map { try ledger.member(.none, isShown: $0) }
        let order = ledger.evictionOrder(for: members[2])
        #expect(order.map(\.member) == [members[2], members[1], members[0], members[1], members[0]])
        #expect(order.map(\.kind) == [.pictures, .buffers, .buffers, .pictures, .pictures])
        #expect(ledger.evictionOrder(for: nil).count == 6)
    }
}

extension ByteBudgetAccounting {
    /// A member that fits.
    fileprivate mutating func member(_ guarantee: MemoryGuarantee, isShown: Bool = true) throws -> Int {
        let joined = join(guarantee, isShown: isShown)
        return try #require(joined).member
    }
}
