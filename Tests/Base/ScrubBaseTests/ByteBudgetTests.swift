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

    /// An owner that needs room releases its own bytes first, then the others release theirs.
    @Test func ownersMakeRoomInTurn() {
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
        let other = budget.join { relieve(first, "first") }
        let owner = budget.join { relieve(second, "second") }
        #expect(budget.reserve(100, for: nil))
        #expect(budget.reserve(60, for: owner))
        #expect(order.withLock { $0 } == ["second", "second", "second"])
        #expect(budget.reserve(40, for: owner))
        #expect(order.withLock { $0.suffix(2) } == ["first", "first"])
        #expect(!budget.reserve(1, for: owner), "nothing is left that could go")
        budget.leave(owner)
        #expect(budget.ownerCount == 1)
        budget.leave(other)
        #expect(budget.ownerCount == 0)
    }

    /// While there are several consumers, pictures ahead of their time leave room for one picture of each. The pictures
    /// that they wait for have all the room.
    @Test func picturesAheadLeaveRoomForThoseThatConsumersWaitFor() throws {
        let budget = ByteBudget(limit: 100)
        let owner = try #require(budget.join(workingByteCount: 20))
        let first = budget.addConsumer(pictureByteCount: 10)
        #expect(budget.lend(40, by: owner, isAhead: true), "one consumer has all that is not for work")
        let second = budget.addConsumer()
        budget.setConsumer(second, pictureByteCount: 15)
        #expect(budget.lend(15, by: owner, isAhead: true) && !budget.lend(1, by: owner, isAhead: true))
        #expect(budget.lend(25, by: owner) && !budget.lend(1, by: owner), "20 for work and 80 of 100")
        budget.takeBack(25, by: owner)
        #expect(!budget.lend(1, by: owner, isAhead: true))
        budget.removeConsumer(first)
        #expect(budget.lend(25, by: owner, isAhead: true), "the last one has all again")
        budget.removeConsumer(second)
        budget.takeBack(80, by: owner)
        #expect(budget.lentByteCount == 0)
    }

    /// Bytes that work took while there were several consumers count when its owners are away: they come again.
    @Test func picturesAheadLeaveRoomForWorkThatComesAgain() throws {
        let budget = ByteBudget(limit: 100)
        let consumers = (0..<2).map { _ in budget.addConsumer(pictureByteCount: 5) }
        let owner = try #require(budget.join(workingByteCount: 20))
        let other = try #require(budget.join(workingByteCount: 40))
        budget.leave(other)
        #expect(budget.lend(30, by: owner, isAhead: true) && !budget.lend(1, by: owner, isAhead: true))
        budget.removeConsumer(consumers[0])
        #expect(budget.lend(50, by: owner, isAhead: true), "one consumer's other decoders don't come again")
    }

    /// If each consumer keeps its decoder, each may have its promised bytes ahead, however few they are.
    @Test func consumersThatKeepTheirDecodersHaveWhatTheyWerePromised() throws {
        let budget = ByteBudget(limit: 100)
        for _ in 0..<2 { _ = budget.addConsumer(pictureByteCount: 20) }
        let first = try #require(budget.join(workingByteCount: 10, leastLentByteCount: 40))
        let second = try #require(budget.join(workingByteCount: 10, leastLentByteCount: 40))
        #expect(budget.lend(40, by: first, isAhead: true), "nothing is held by others")
        #expect(budget.lend(20, by: second, isAhead: true) && budget.lend(20, by: second, isAhead: true))
        budget.takeBack(40, by: first)
        budget.leave(second)
        #expect(!budget.lend(11, by: first, isAhead: true), "40 of who left, 40 for consumers, 20 were for work")
    }

    /// What is asked for leaves what is shown what it was promised, beyond its own promise; what is ahead of its time
    /// leaves both theirs.
    @Test func whatIsShownGoesBeforeWhatIsAskedAndThatBeforeWhatIsAhead() throws {
        let budget = ByteBudget(limit: 100)
        let shown = try #require(budget.join(workingByteCount: 10, leastLentByteCount: 20))
        let asked = try #require(budget.join(workingByteCount: 10, leastLentByteCount: 20, isShown: false))
        let player = budget.addConsumer(pictureByteCount: 10)
        #expect(budget.lend(20, by: asked), "its promise")
        #expect(budget.lend(40, by: asked) && !budget.lend(1, by: asked), "20 are promised to what is shown")
        #expect(budget.lend(20, by: shown) && !budget.lend(1, by: shown))
        budget.takeBack(60, by: asked)
        #expect(budget.lend(30, by: shown, isAhead: true), "10 for the consumer, 20 for what is asked for")
        #expect(!budget.lend(1, by: shown, isAhead: true) && budget.lend(20, by: asked))
        #expect(budget.lend(10, by: shown), "what is waited for")
        budget.removeConsumer(player)
        budget.leave(asked)
        #expect(budget.lend(10, by: shown, isAhead: true), "alone it has all")
    }

    /// What waits for its caller when its owner leaves counts from when it is handed out until it comes back.
    @Test func anOwnerThatLeftStillLends() throws {
        let budget = ByteBudget(limit: 100)
        let owner = try #require(budget.join(workingByteCount: 10, isShown: false))
        #expect(budget.lend(20, by: owner))
        budget.leave(owner)
        #expect(budget.lend(30, by: owner) && budget.lentByteCount == 50)
        budget.takeBack(20, by: owner)
        budget.takeBack(30, by: owner)
        #expect(budget.lentByteCount == 0)
    }

    /// A generator's pictures go before those that may be shown again.
    @Test func whatIsNotShownIsLetGoFirst() throws {
        let budget = ByteBudget(limit: 100)
        let order = Locked<[String]>([])
        func join(_ name: String, isShown: Bool) throws {
            let owner = try #require(budget.join(workingByteCount: 0, isShown: isShown))
            budget.relieve(owner, of: .pictures) {
                order.withLock { $0.append(name) }
                return false
            }
        }
        try join("player", isShown: true)
        try join("generator", isShown: false)
        try join("session", isShown: true)
        #expect(!budget.relieve(nil))
        #expect(order.withLock { $0 } == ["generator", "player", "session"])
    }

    /// A further decoder takes bytes and a place among the decoders, or nothing.
    @Test func spareWorkCountsItsDecoders() throws {
        final class Places: SpareDecoders {
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
        let owner = try #require(budget.join(workingByteCount: 20))
        let spare = SpareWork(budget, owner: owner, pieceByteCount: 30, decoders: places)
        #expect(spare.take(1) && places.free == 0 && !spare.take(2) && !spare.isWanted)
        places.isWanted = true
        #expect(spare.isWanted)
        spare.giveBack()
        #expect(places.free == 1 && !spare.isWanted)
        let large = SpareWork(budget, owner: owner, pieceByteCount: 81, decoders: places)
        #expect(!large.take(1) && places.free == 1, "no place without its bytes")
    }

    /// Sizes at the integer's edge are too much, and nothing else.
    @Test func consumersOfAnySizeAreCounted() throws {
        let budget = ByteBudget(limit: .max)
        let owner = try #require(budget.join(workingByteCount: 1))
        for _ in 0..<3 { _ = budget.addConsumer(pictureByteCount: .max) }
        #expect(!budget.lend(1, by: owner, isAhead: true) && budget.lend(1, by: owner))
    }

    /// Bytes set aside for comfort block nothing: they are wanted back when a promise needs them.
    @Test func spareWorkIsGivenBackWhenItIsWanted() throws {
        let budget = ByteBudget(limit: 100)
        let told = Locked(0)
        let first = try #require(
            budget.join(workingByteCount: 20, leastLentByteCount: 10) { told.withLock { $0 += 1 } })
        let spare = SpareWork(budget, owner: first, pieceByteCount: 30)
        #expect(spare.take(1) && spare.take(1) && spare.take(2) && !spare.take(3), "20 + 10 + 60 of 100")
        #expect(!budget.lend(81, by: first), "what is lent ends where work begins")
        #expect(budget.join(workingByteCount: 71) == nil, "that would not fit even alone")
        #expect(!spare.isWanted && told.withLock { $0 } == 0)
        let second = try #require(budget.join(workingByteCount: 40, leastLentByteCount: 10))
        #expect(spare.isWanted && told.withLock { $0 } == 1)
        #expect(!spare.take(3), "nothing more while it is wanted back")
        spare.giveBack()
        #expect(!spare.isWanted && !spare.take(1), "20 + 10 + 40 + 10 leave no 30")
        budget.leave(second)
        #expect(spare.take(2))
    }

    /// A picture that something waits for goes before work for comfort. That comes again when no more is lent than was
    /// promised, and not with every picture that is released.
    @Test func spareWorkMakesWayForAPictureThatIsWaitedFor() throws {
        let budget = ByteBudget(limit: 100)
        let (told, returned) = (Locked(0), Locked(0))
        let shown = try #require(budget.join(workingByteCount: 20, leastLentByteCount: 10))
        let helper = try #require(budget.join(workingByteCount: 0) { told.withLock { $0 += 1 } })
        budget.relieve(helper, of: .work) {
            returned.withLock { $0 += 1 }
            return false
        }
        let spare = SpareWork(budget, owner: helper, pieceByteCount: 60)
        #expect(spare.take(1) && budget.lend(20, by: shown))
        #expect(!budget.lend(10, by: shown, isAhead: true) && !spare.isWanted, "nothing waits for that one")
        #expect(!budget.lend(61, by: shown) && !spare.isWanted, "it has no room without the work either")
        for _ in 0..<2 { #expect(!budget.lend(10, by: shown) && spare.isWanted) }
        #expect(told.withLock { $0 } == 1 && returned.withLock { $0 } == 0, "it is told once, and nothing waits")
        spare.giveBack()
        #expect(budget.lend(10, by: shown))
        budget.takeBack(10, by: shown)
        #expect(!spare.take(1), "the next picture would want it back")
        budget.takeBack(10, by: shown)
        #expect(spare.take(1))
        // For a promise the joining one waits.
        _ = try #require(budget.join(workingByteCount: 40))
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
    fileprivate func reserve(_ count: Int, for owner: Int?) -> Bool {
        while !take(count) {
            guard relieve(owner) else { return take(count) }
        }
        return true
    }
}
