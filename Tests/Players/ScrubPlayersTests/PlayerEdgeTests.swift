import ScrubPlayersLogic
import ScrubBase
import ScrubMedia
import Testing

@testable import ScrubPlayers

/// Seeks, lists and properties at their edges.
@Suite struct PlayerEdgeTests {
    private func player(_ items: [PlayerItem], _ options: Player.Options = .init()) throws -> Player {
        try Player(items, options: options, timebase: .simulated(), resources: DecodingResources())
    }

    @Test func `a seek to what cannot be played ends`() async throws {
        let player = try player([TestClips.item("nothing-there.mp4")])
        async let early = player.seek(to: .first)
        await wait(player) { if case .failed = $0.state { true } else { false } }
        #expect(try await early == .abandoned)
        #expect(try await player.seek(to: .first) == .abandoned)
        #expect(player.error != nil && player.pendingSeekCount == 0)
        // An empty one too.
        player.removeAllItems()
        #expect(player.state == .idle && player.error == nil)
        #expect(try await player.seek(to: .first) == .abandoned)
    }

    @Test func `a seek to an item that is left before it is loaded ends`() async throws {
        for way in 0..<3 {
            let items = [TestClips.item("h264-bf3.mp4"), TestClips.item("rotate-0.mp4")]
            let player = try player(items)
            let number = player.startSeek(to: .last)
            async let seek = player.seek(to: .frame(2))
            await until("it is asked") { player.pendingSeekCount > 0 || player.landedSeekNumber > number }
            switch way {
            case 0: player.advanceToNextItem()
            case 1: player.remove(items[0].id)
            default: player.replaceItems(with: [items[1]])
            }
            _ = try await seek
            #expect(player.pendingSeekCount == 0)
        }
    }

    @Test func `a failed item is tried again, and an old error is not reported for the next item`() async throws {
        let player = try player([TestClips.item("nothing-there.mp4")])
        let failures = Locked(0)
        let observation = player.observe(.failed) { _ in failures.withLock { $0 += 1 } }
        await wait(player) { if case .failed = $0.state { true } else { false } }
        let before = failures.withLock { $0 }
        player.play()
        await until("it fails again") { failures.withLock { $0 } > before }
        await wait(player) { if case .failed = $0.state { true } else { false } }
        player.append(TestClips.item("rotate-0.mp4"))
        let presenter = Presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(player.error == nil && presenter.counters.presentedCount == 8)
        withExtendedLifetime(observation) {}
    }

    @Test func `after a seek back from the list's end playing continues from there`() async throws {
        let items = [TestClips.item("rotate-0.mp4"), TestClips.item("rotate-90.mp4")]
        let player = try player(items)
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        player.pause()
        #expect(try await player.seek(to: .frame(5)) == .landed)
        #expect(player.state == .paused && player.currentItem?.id == items[1].id)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(log.presented.suffix(3).map(\.frame) == [5, 6, 7])
        #expect(log.presented.suffix(3).allSatisfy { $0.item == items[1].id })
        // And playing at the end begins again.
        player.play()
        await until("it began again") { log.presented.count > 19 }
        #expect(log.presented[19].item == items[0].id && log.presented[19].frame == 0)
        withExtendedLifetime(presenter) {}
    }

    @Test func `what was set is read at once, in callbacks too`() async throws {
        let player = try player([TestClips.item("h264-bf3.mp4")])
        let wrong = Locked(0)
        let told = Locked(0)
        let presenter = Presenter { [weak player] _ in
            guard let player else { return }
            let number = told.withLock {
                $0 += 1; return $0
            }
            let rate = Rational(Int64(number), 7)
            player.rate = rate
            if player.rate != rate { wrong.withLock { $0 += 1 } }
            let item = TestClips.item("rotate-0.mp4")
            player.append(item)
            if player.items.last?.id != item.id { wrong.withLock { $0 += 1 } }
            player.remove(item.id)
            if player.items.count != 1 { wrong.withLock { $0 += 1 } }
        }
        player.attach(presenter)
        player.play()
        await until("thirty frames") { told.withLock { $0 > 30 } }
        #expect(wrong.withLock { $0 } == 0)
        withExtendedLifetime(presenter) {}
    }

    @Test func `repeat counts hold in new lists and in interruptions`() async throws {
        let first = TestClips.item("h264-single.mp4")
        let player = try player([first])
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        await wait(player) { $0.state == .paused }
        let (twice, thrice) = (
            TestClips.item("h264-single.mp4", playCount: 2), TestClips.item("h264-single.mp4", playCount: 3)
        )
        player.replaceItems(with: [first, thrice])
        player.interrupt(with: [twice])
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(log.presented.map(\.item) == [first.id, twice.id, twice.id, first.id, thrice.id, thrice.id, thrice.id])
        withExtendedLifetime(presenter) {}
    }

    @Test func `with a pause at each item's end the last frame stays until somebody plays`() async throws {
        var options = Player.Options()
        options.actionAtItemEnd = .pause
        let player = try player([TestClips.item("rotate-0.mp4"), TestClips.item("rotate-90.mp4")], options)
        let presenter = Presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(player.currentFrameNumber == 7 && presenter.counters.presentedCount == 8)
        #expect(player.advanceToNextItem())
        await wait(player) { $0.state == .ended && $0.currentItem?.id == $0.items.last?.id }
        #expect(presenter.counters.presentedCount == 16)
    }

    @Test func `a seek whose task is cancelled is not waited for, and is done all the same`() async throws {
        let source = try ClosedSource("rotate-0.mp4")
        let player = try player([
            PlayerItem(PlayerMedia(source: source, name: "rotate-0.mp4", options: TestClips.options))
        ])
        let seek = Task { try await player.seek(to: .frame(5)) }
        seek.cancel()
        await #expect(throws: CancellationError.self) { try await seek.value }
        let waiting = Task { try await player.seek(to: .frame(6)) }
        // Begun before it is cancelled, or cancelled before it begins: both end.
        await Task.yield()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        source.open()
        #expect(try await player.seek(to: .frame(7)) == .landed)
        #expect(player.currentFrameNumber == 7)
    }

    @Test func `an empty player plays what is added`() async throws {
        let player = try player([])
        #expect(player.state == .idle)
        player.play()
        player.startSeek(to: .first)
        player.step(by: .max)
        let presenter = Presenter()
        player.attach(presenter)
        #expect(player.append(TestClips.item("rotate-0.mp4")))
        await wait(player) { $0.state == .ended }
        #expect(presenter.counters.presentedCount == 8)
        player.pause()
        player.step(by: .min)
        await wait(player) { $0.currentFrameNumber == 0 }
    }

    @Test func `an interrupted item that fails does not come back, and is not tried for ever`() async throws {
        let items = [TestClips.item("nothing-there.mp4"), TestClips.item("rotate-0.mp4")]
        let player = try player(items)
        let failures = Locked(0)
        let observation = player.observe(.failed) { _ in failures.withLock { $0 += 1 } }
        let ad = TestClips.item("h264-single.mp4")
        player.interrupt(with: [ad])
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        await until("it has failed") { failures.withLock { $0 } > 0 }
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(log.presented.map(\.item) == [ad.id] + Array(repeating: items[1].id, count: 8))
        #expect(failures.withLock { $0 } == 1)
        withExtendedLifetime((presenter, observation)) {}
    }

    @Test func `a seek after an interruption of a list that had ended is one in the list's item`() async throws {
        let item = TestClips.item("rotate-0.mp4")
        let player = try player([item])
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        player.play()
        await wait(player) { $0.state == .ended }
        let ad = TestClips.item("h264-single.mp4")
        player.interrupt(with: [ad])
        await wait(player) { $0.state == .ended && $0.items.count == 1 && log.presented.last?.item == ad.id }
        #expect(try await player.seek(to: .frame(6)) == .landed)
        player.play()
        await wait(player) { $0.state == .ended }
        #expect(log.presented.suffix(2).map(\.frame) == [6, 7] && log.presented.last?.item == item.id)
        withExtendedLifetime(presenter) {}
    }

    @Test(arguments: [ActionAtItemEnd.advance, .pause])
    func `what is added behind a list's end while something interrupts it is played after that`(
        action: ActionAtItemEnd
    ) async throws {
        var options = Player.Options()
        options.actionAtItemEnd = action
        // The list has ended with its item, or because its item was taken out; at a pause it has not.
        for isRemoved in action == .pause ? [true] : [false, true] {
            let items = [TestClips.item("rotate-0.mp4"), TestClips.item("h264-single.mp4")]
            let player = try player(items, options)
            let log = FrameLog()
            let presenter = log.presenter()
            player.attach(presenter)
            player.play()
            await wait(player) { $0.state == .ended }
            if action == .pause {
                player.advanceToNextItem()
                await wait(player) { $0.state == .ended && log.presented.last?.item == items[1].id }
            }
            if isRemoved { player.remove(items[1].id) }
            let (ad, last) = (TestClips.item("h264-single.mp4"), TestClips.item("rotate-90.mp4"))
            player.interrupt(with: [ad])
            player.append(last)
            player.play()
            for item in [ad, last] {
                await wait(player) {
                    $0.state == .ended && (action == .advance || log.presented.last?.item == item.id)
                }
                if action == .pause { #expect(player.advanceToNextItem() == (item.id == ad.id)) }
            }
            #expect(log.presented.suffix(9).map(\.item) == [ad.id] + Array(repeating: last.id, count: 8))
            #expect(player.state == .ended)
            withExtendedLifetime(presenter) {}
        }
    }

    @Test(arguments: [ActionAtItemEnd.advance, .pause])
    func `a finished list has ended, also when its last item was removed`(action: ActionAtItemEnd) async throws {
        var options = Player.Options()
        options.actionAtItemEnd = action
        let items = [TestClips.item("rotate-0.mp4"), TestClips.item("h264-single.mp4")]
        let player = try player(items, options)
        let log = FrameLog()
        let presenter = log.presenter()
        player.attach(presenter)
        player.setCurrentItem(items[1].id)
        player.play()
        await wait(player) { $0.state == .ended }
        player.remove(items[1].id)
        #expect(player.state == .ended && player.currentItem == nil && player.items.map(\.id) == [items[0].id])
        // What interrupts it and is left leads back to the same place.
        player.interrupt(with: [TestClips.item("rotate-90.mp4")])
        #expect(player.state != .ended)
        player.advanceToNextItem()
        #expect(player.state == .ended && player.currentItem == nil)
        // To play begins again.
        player.play()
        await wait(player) { $0.state == .ended && log.presented.last?.item == items[0].id }
        #expect(log.presented.suffix(8).map(\.frame) == Array(0..<8))
        player.removeAllItems()
        #expect(player.state == .idle)
        withExtendedLifetime(presenter) {}
    }
}
