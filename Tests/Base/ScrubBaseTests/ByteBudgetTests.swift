import ScrubBase
import Testing

@Suite struct ByteBudgetTests {
    /// Bytes that are taken and given back are counted, and the limit holds to the byte.
    @Test func theLimitIsExact() {
        let budget = ByteBudget(limit: 100)
        #expect(budget.reserve(60, for: nil) && budget.reserve(40, for: nil))
        #expect(!budget.reserve(1, for: nil))
        budget.release(40)
        #expect(!budget.reserve(41, for: nil) && budget.reserve(40, for: nil))
        #expect(budget.used == 100 && budget.peak == 100)
    }

    /// A member that needs room releases its own bytes first, then the others release theirs.
    @Test func membersMakeRoomInTurn() {
        let budget = ByteBudget(limit: 100)
        let order = Locked<[String]>([])
        let first = Locked(2)
        let second = Locked(3)
        let relieve: @Sendable (Locked<Int>, String) -> Bool = { held, name in
            let hasOne = held.withLock { count in
                defer { count = max(0, count - 1) }
                return count > 0
            }
            guard hasOne else { return false }
            order.withLock { $0.append(name) }
            budget.release(20)
            return true
        }
        let (other, member) = (budget.join(), budget.join())
        other.evict(.pictures) { relieve(first, "first") }
        member.evict(.pictures) { relieve(second, "second") }
        #expect(budget.reserve(100, for: nil))
        #expect(budget.reserve(60, for: member))
        #expect(order.withLock { $0 } == ["second", "second", "second"])
        #expect(budget.reserve(40, for: member))
        #expect(order.withLock { $0.suffix(2) } == ["first", "first"])
        #expect(!budget.reserve(1, for: member), "nothing is left that could go")
        member.leave()
        #expect(budget.memberCount == 1)
        other.leave()
        #expect(budget.memberCount == 0)
    }

    /// While there are several screens, pictures ahead of their time leave room for one picture of each. The pictures
    /// that they wait for have all the room.
    @Test func picturesAheadLeaveRoomForThoseThatScreensWaitFor() throws {
        let budget = ByteBudget(limit: 100)
        let member = try #require(budget.join(.init(work: 20, loans: 0)))
        let first = budget.addScreen(pictureByteCount: 10)
        #expect(member.lend(40, isAhead: true), "one screen has all that is not for work")
        let second = budget.addScreen()
        budget.setScreen(second, pictureByteCount: 15)
        #expect(member.lend(15, isAhead: true) && !member.lend(1, isAhead: true))
        #expect(member.lend(25) && !member.lend(1), "20 for work and 80 of 100")
        member.takeBack(25)
        #expect(!member.lend(1, isAhead: true))
        budget.removeScreen(first)
        #expect(member.lend(25, isAhead: true), "the last one has all again")
        budget.removeScreen(second)
        member.takeBack(80)
        #expect(budget.lentByteCount == 0)
    }

    /// Bytes that work took while there were several screens count when its members are away: they come again.
    @Test func picturesAheadLeaveRoomForWorkThatComesAgain() throws {
        let budget = ByteBudget(limit: 100)
        let screens = (0..<2).map { _ in budget.addScreen(pictureByteCount: 5) }
        let member = try #require(budget.join(.init(work: 20, loans: 0)))
        let other = try #require(budget.join(.init(work: 40, loans: 0)))
        other.leave()
        #expect(member.lend(30, isAhead: true) && !member.lend(1, isAhead: true))
        budget.removeScreen(screens[0])
        #expect(member.lend(50, isAhead: true), "one screen's other decoders don't come again")
    }

    /// If each screen keeps its decoder, each may have its promised bytes ahead, however few they are.
    @Test func screensThatKeepTheirDecodersHaveWhatTheyWerePromised() throws {
        let budget = ByteBudget(limit: 100)
        for _ in 0..<2 { _ = budget.addScreen(pictureByteCount: 20) }
        let first = try #require(budget.join(.init(work: 10, loans: 40)))
        let second = try #require(budget.join(.init(work: 10, loans: 40)))
        #expect(first.lend(40, isAhead: true), "nothing is held by others")
        #expect(second.lend(20, isAhead: true) && second.lend(20, isAhead: true))
        first.takeBack(40)
        second.leave()
        #expect(!first.lend(11, isAhead: true), "40 of who left, 40 for screens, 20 were for work")
    }

    /// What is asked for leaves what is shown what it was promised, beyond its own promise; what is ahead of its time
    /// leaves both theirs.
    @Test func whatIsShownGoesBeforeWhatIsAskedAndThatBeforeWhatIsAhead() throws {
        let budget = ByteBudget(limit: 100)
        let shown = try #require(budget.join(.init(work: 10, loans: 20)))
        let asked = try #require(budget.join(.init(work: 10, loans: 20), isShown: false))
        let player = budget.addScreen(pictureByteCount: 10)
        #expect(asked.lend(20), "its promise")
        #expect(asked.lend(40) && !asked.lend(1), "20 are promised to what is shown")
        #expect(shown.lend(20) && !shown.lend(1))
        asked.takeBack(60)
        #expect(shown.lend(30, isAhead: true), "10 for the screen, 20 for what is asked for")
        #expect(!shown.lend(1, isAhead: true) && asked.lend(20))
        #expect(shown.lend(10), "what is waited for")
        budget.removeScreen(player)
        asked.leave()
        #expect(shown.lend(10, isAhead: true), "alone it has all")
    }

    /// What waits for its caller when its member leaves counts from when it is handed out until it comes back.
    @Test func aMemberThatLeftStillLends() throws {
        let budget = ByteBudget(limit: 100)
        let member = try #require(budget.join(.init(work: 10, loans: 0), isShown: false))
        #expect(member.lend(20))
        member.leave()
        #expect(member.lend(30) && budget.lentByteCount == 50)
        member.takeBack(20)
        member.takeBack(30)
        #expect(budget.lentByteCount == 0)
    }

    /// A generator's pictures go before those that may be shown again.
    @Test func whatIsNotShownIsLetGoFirst() throws {
        let budget = ByteBudget(limit: 100)
        let order = Locked<[String]>([])
        func join(_ name: String, isShown: Bool) throws {
            let member = try #require(budget.join(.init(work: 0, loans: 0), isShown: isShown))
            member.evict(.pictures) {
                order.withLock { $0.append(name) }
                return false
            }
        }
        try join("player", isShown: true)
        try join("generator", isShown: false)
        try join("session", isShown: true)
        #expect(!budget.makeRoom())
        #expect(order.withLock { $0 } == ["generator", "player", "session"])
    }

    /// A further decoder takes bytes and a place among the decoders, or nothing.
    @Test func spareWorkCountsItsDecoders() throws {
        final class Places: AdditionalDecoders {
            var free = 1
            var isWanted = false
            func take() -> Bool {
                guard free > 0 else { return false }
                free -= 1
                return true
            }
            func giveBack(_ count: Int) { free += count }
        }
        let places = Places()
        let budget = ByteBudget(limit: 100)
        let member = try #require(budget.join(.init(work: 20, loans: 0)))
        let spare = AdditionalWorkMemory(member, pieceByteCount: 30, decoders: places)
        #expect(spare.take(1) && places.free == 0 && !spare.take(2) && !spare.isWanted)
        places.isWanted = true
        #expect(spare.isWanted)
        spare.giveBack()
        #expect(places.free == 1 && !spare.isWanted)
        let large = AdditionalWorkMemory(member, pieceByteCount: 81, decoders: places)
        #expect(!large.take(1) && places.free == 1, "no place without its bytes")
    }

    /// Sizes at the integer's edge are too much, and nothing else.
    @Test func screensOfAnySizeAreCounted() throws {
        let budget = ByteBudget(limit: .max)
        let member = try #require(budget.join(.init(work: 1, loans: 0)))
        for _ in 0..<3 { _ = budget.addScreen(pictureByteCount: .max) }
        #expect(!member.lend(1, isAhead: true) && member.lend(1))
    }

    /// Bytes set aside for comfort block nothing: they are wanted back when a promise needs them.
    @Test func spareWorkIsGivenBackWhenItIsWanted() throws {
        let budget = ByteBudget(limit: 100)
        let told = Locked(0)
        let first = try #require(
            budget.join(.init(work: 20, loans: 10)) { told.withLock { $0 += 1 } })
        let spare = AdditionalWorkMemory(first, pieceByteCount: 30)
        #expect(spare.take(1) && spare.take(1) && spare.take(2) && !spare.take(3), "20 + 10 + 60 of 100")
        #expect(!first.lend(81), "what is lent ends where work begins")
        #expect(budget.join(.init(work: 71, loans: 0)) == nil, "that would not fit even alone")
        #expect(!spare.isWanted && told.withLock { $0 } == 0)
        let second = try #require(budget.join(.init(work: 40, loans: 10)))
        #expect(spare.isWanted && told.withLock { $0 } == 1)
        #expect(!spare.take(3), "nothing more while it is wanted back")
        spare.giveBack()
        #expect(!spare.isWanted && !spare.take(1), "20 + 10 + 40 + 10 leave no 30")
        second.leave()
        #expect(spare.take(2))
    }

    /// A picture that something waits for goes before work for comfort. That comes again when no more is lent than was
    /// promised, and not with every picture that is released.
    @Test func spareWorkMakesWayForAPictureThatIsWaitedFor() throws {
        let budget = ByteBudget(limit: 100)
        let (told, returned) = (Locked(0), Locked(0))
        let shown = try #require(budget.join(.init(work: 20, loans: 10)))
        let helper = try #require(budget.join(.init(work: 0, loans: 0)) { told.withLock { $0 += 1 } })
        helper.evict(.work) {
            returned.withLock { $0 += 1 }
            return false
        }
        let spare = AdditionalWorkMemory(helper, pieceByteCount: 60)
        #expect(spare.take(1) && shown.lend(20))
        #expect(!shown.lend(10, isAhead: true) && !spare.isWanted, "nothing waits for that one")
        #expect(!shown.lend(61) && !spare.isWanted, "it has no room without the work either")
        for _ in 0..<2 { #expect(!shown.lend(10) && spare.isWanted) }
        #expect(told.withLock { $0 } == 1 && returned.withLock { $0 } == 0, "it is told once, and nothing waits")
        spare.giveBack()
        #expect(shown.lend(10))
        shown.takeBack(10)
        #expect(!spare.take(1), "the next picture would want it back")
        shown.takeBack(10)
        #expect(spare.take(1))
        // For a promise the joining one waits.
        _ = try #require(budget.join(.init(work: 40, loans: 0)))
        #expect(spare.isWanted && returned.withLock { $0 } == 1)
    }

    /// However many threads take and give, the sum never passes the limit.
    @Test func threadsShareIt() throws {
        let budget = ByteBudget(limit: 1000)
        let sum = Locked(0)
        let most = Locked(0)
        let threads = try (0..<8).map { thread in
            try DedicatedThread {
                for round in 0..<2000 {
                    // Two at a time, so that there is something to add up even when the threads run one after another.
                    let counts = [(thread * 131 + round * 17) % 300 + 1, (thread * 37 + round * 101) % 400 + 1]
                    let taken = counts.filter { budget.reserve($0, for: nil) }.reduce(0, +)
                    let now = sum.withLock { sum in
                        sum += taken
                        return sum
                    }
                    most.withLock { $0 = max($0, now) }
                    sum.withLock { $0 -= taken }
                    budget.release(taken)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(most.withLock { $0 } <= 1000 && budget.peak <= 1000 && budget.used == 0)
        #expect(budget.peak > 400, "\(budget.peak): nothing added up")
    }
}

extension ByteBudget {
    /// Takes bytes as an allocator does: with things let go for them until there is room or nothing is left.
    fileprivate func reserve(_ count: Int, for member: BudgetMember?) -> Bool {
        while !take(count) {
            guard member?.makeRoom() ?? makeRoom() else { return take(count) }
        }
        return true
    }
}
