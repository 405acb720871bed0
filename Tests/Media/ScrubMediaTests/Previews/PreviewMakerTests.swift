import ScrubBase
import ScrubMediaLogic
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// The order of making, and who may interrupt it, with a decoder that isn't there.
@Suite struct PreviewMakerTests {
    /// A decoder that makes a preview for each packet, and does what the test wants before it.
    final class FakePreviewSource: PreviewSource {
        struct State {
            var passes: [[Int]] = []
            /// The rest of the present pass.
            var left: ArraySlice<Int> = []
            var packets = 0
            var rests = 0
            var hasMemory = true
            var canMakePasses = true
            var isWantedBack = false
            /// Whether reading fails.
            var isUnreadable = false
            /// Frames that the session decoded.
            var offered: [Int] = []
        }

        let state: Locked<State>
        /// Called before each packet, on the maker's thread.
        let beforePacket: @Sendable (Int) -> Void
        let undecodable: Set<Int>
        /// The session's frames whose previews were delivered.
        let offers = BoundedQueue<Int>(capacity: 64)

        init(
            _ state: Locked<State> = Locked(State()), undecodable: Set<Int> = [],
            beforePacket: @escaping @Sendable (Int) -> Void = { _ in }
        ) {
            (self.state, self.undecodable, self.beforePacket) = (state, undecodable, beforePacket)
        }

        func begin(_ frames: [Int]) -> Bool {
            state.withLock { state in
                guard state.hasMemory else { return false }
                state.passes.append(frames)
                state.left = frames[...]
                return true
            }
        }

        func step(_ deliver: (Int, PreviewOutcome) -> Void) -> PreviewStep {
            guard let frame = state.withLock({ $0.left.first }) else { return .over }
            beforePacket(frame)
            let (isUnreadable, left) = state.withLock { state in
                defer { state.left = state.left.dropFirst() }
                state.packets += 1
                return (state.isUnreadable, state.left)
            }
            if isUnreadable {
                for frame in left { deliver(frame, .unread) }
                return .over
            }
            deliver(frame, outcome(frame, 7))
            return left.count > 1 ? .more : .over
        }

        func leave() { state.withLock { $0.left = [] } }

        func makeOffered(_ deliver: (Int, PreviewOutcome) -> Void) -> Bool {
            guard let frame = state.withLock({ $0.offered.popLast() }) else { return false }
            deliver(frame, outcome(frame, 8))
            offers.offer(frame)
            return true
        }

        private func outcome(_ frame: Int, _ value: UInt8) -> PreviewOutcome {
            undecodable.contains(frame) ? .unavailable : .made([UInt8](repeating: value, count: 900))
        }

        func rest() {
            state.withLock { state in
                state.rests += 1
                (state.isWantedBack, state.left) = (false, [])
            }
        }

        var canMakePasses: Bool { state.withLock { $0.canMakePasses } }
        var isWantedBack: Bool { state.withLock { $0.isWantedBack } }
    }

    private func store(limit: Int = 2_000_000) -> PreviewStore {
        let plan = PreviewPlan(groupStarts: stride(from: 0, to: 1000, by: 100), frameCount: 1000)
        let store = PreviewStore(plan, ByteBudget(limit: 4_000_000), guessedByteCount: 900)
        store.limit(to: limit)
        return store
    }

    /// A decoder that waits before its packet of frame 20, once it has come there.
    private func heldSource(
        _ state: Locked<FakePreviewSource.State> = Locked(FakePreviewSource.State())
    ) -> (source: FakePreviewSource, reached: BoundedQueue<Void>, released: BoundedQueue<Void>) {
        let (reached, released) = (BoundedQueue<Void>(capacity: 1), BoundedQueue<Void>(capacity: 1))
        let source = FakePreviewSource(state) { frame in
            guard frame == 20 else { return }
            reached.offer(())
            _ = released.pop()
        }
        return (source, reached, released)
    }

    private func waitUntilIdle(_ maker: PreviewMaker) {
        let gate = BoundedQueue<Void>(capacity: 1)
        maker.whenIdle { _ in gate.offer(()) }
        _ = gate.pop()
    }

    @Test func nearestGroupsAreMadeWholeAndFirst() throws {
        let (store, source) = (store(), FakePreviewSource(undecodable: [450, 451]))
        let maker = PreviewMaker(source, store, processorTime: { .seconds(3) })
        store.look(at: 430)
        waitUntilIdle(maker)
        let passes = source.state.withLock { $0.passes }
        #expect(passes.map { $0[0] } == [400, 300, 500, 200, 600, 100, 700, 0, 800, 900])
        #expect(store.count == 998 && store[450] == nil && maker.processorTime == .seconds(3))
        // Nothing is left, and its decoder is closed. Asking again makes nothing again.
        waitUntilIdle(maker)
        #expect(source.state.withLock { $0.packets == 1000 && $0.rests > 0 })
    }

    /// Nothing is made before the first frame is looked at.
    @Test func itWaitsForAFirstFrame() throws {
        let source = FakePreviewSource()
        do { _ = PreviewMaker(source, store()) }
        #expect(source.state.withLock { $0.passes.isEmpty && $0.rests == 1 })
    }

    /// A request stops it between two packets; it goes on where it was, in the same pass.
    @Test func aRequestStopsItWithinAPacket() throws {
        let (source, reached, released) = heldSource()
        let store = store()
        let maker = PreviewMaker(source, store)
        store.look(at: 0)
        maker.resume()
        _ = reached.pop()
        maker.pause()
        released.offer(())
        // The packet under way is finished, and no other is begun: the thread waits in the pass.
        #expect(source.state.withLock { $0.packets } <= 21)
        maker.resume()
        waitUntilIdle(maker)
        let passes = source.state.withLock { $0.passes }
        #expect(passes.count == 10 && store.count == 1000 && source.state.withLock { $0.packets } == 1000)
    }

    /// A playhead that went far away leaves the pass; one that moves a little does not.
    @Test(arguments: [(250, 10), (900, 11)]) func aPassIsLeftForAFarPlace(_ row: (place: Int, passes: Int)) throws {
        let store = store()
        let source = FakePreviewSource { [weak store] frame in if frame == 50 { store?.look(at: row.place) } }
        let maker = PreviewMaker(source, store)
        store.look(at: 0)
        waitUntilIdle(maker)
        let passes = source.state.withLock { $0.passes }
        #expect(passes.count == row.passes && store.count == 1000)
        #expect(passes[1][0] == row.place / 100 * 100)
    }

    /// Memory that others want is given back between two packets; without memory nothing is made, and nothing hangs.
    @Test func itsMemoryIsWantedBack() throws {
        let store = store()
        let state = Locked(FakePreviewSource.State())
        let source = FakePreviewSource(state) { frame in
            if frame == 30 { state.withLock { ($0.isWantedBack, $0.hasMemory) = (true, false) } }
        }
        let maker = PreviewMaker(source, store)
        store.look(at: 0)
        waitUntilIdle(maker)
        #expect(store.count == 31 && source.state.withLock { $0.rests > 0 })
        source.state.withLock { $0.hasMemory = true }
        waitUntilIdle(maker)
        #expect(store.count == 1000)
    }

    /// What cannot be read is left until the playhead has moved on, and then asked for again.
    @Test func whatCouldNotBeReadIsReadLater() throws {
        let store = store()
        let state = Locked(FakePreviewSource.State())
        let source = FakePreviewSource(state, undecodable: [5]) { frame in
            if frame == 30 { state.withLock { if $0.packets == 30 { $0.isUnreadable = true } } }
        }
        let maker = PreviewMaker(source, store)
        store.look(at: 0)
        waitUntilIdle(maker)
        #expect(store.count == 29 && state.withLock { $0.passes.count } == 10)
        state.withLock { $0.isUnreadable = false }
        waitUntilIdle(maker)
        #expect(state.withLock { $0.passes.count } == 10, "not again and again")
        store.look(at: 700)
        waitUntilIdle(maker)
        #expect(store.count == 999 && !store.contains(5))
    }

    /// Full bytes end the pass: what has no room is not decoded.
    @Test func itStopsWhenTheBytesAreFull() throws {
        let (store, source) = (store(limit: 250_000), FakePreviewSource())
        let maker = PreviewMaker(source, store)
        store.look(at: 500)
        waitUntilIdle(maker)
        let packets = source.state.withLock { $0.packets }
        #expect(store.byteCount <= 250_000 && packets <= store.count + 1, "\(packets) for \(store.count)")
        waitUntilIdle(maker)
        #expect(source.state.withLock { $0.packets } <= packets + 1)
    }

    /// Pictures that the session decoded have their previews made while a request waits, also in the middle of a pass.
    @Test func theSessionsPicturesAreUsedWhileARequestWaits() throws {
        let state = Locked(FakePreviewSource.State(offered: [7, 9]))
        let (source, reached, released) = heldSource(state)
        let store = store()
        let maker = PreviewMaker(source, store)
        store.look(at: 0)
        // It is paused, and decodes nothing of its own.
        maker.look()
        #expect([source.offers.pop(), source.offers.pop()] == [9, 7])
        #expect(store[7] != nil && store[9] != nil && state.withLock { $0.passes.isEmpty })
        maker.resume()
        _ = reached.pop()
        maker.pause()
        state.withLock { $0.offered = [333] }
        released.offer(())
        #expect(source.offers.pop() == 333)
        // The packet under way is finished, and no other is begun.
        #expect(state.withLock { $0.packets } <= 21)
        maker.resume()
        waitUntilIdle(maker)
        // What is there is not made again, except for the pass that had begun.
        #expect(store.count == 1000 && state.withLock { $0.passes[0].contains(7) } == false)
        #expect(store[333]?.first == 8)
    }

    /// A film on the network has previews of what was asked for, and of nothing else.
    @Test func nothingIsDecodedForThemWithoutPasses() throws {
        let state = Locked(FakePreviewSource.State(canMakePasses: false, offered: [1, 2, 3]))
        let (store, source) = (store(), FakePreviewSource(state, undecodable: [2]))
        let maker = PreviewMaker(source, store)
        store.look(at: 0)
        waitUntilIdle(maker)
        #expect([source.offers.pop(), source.offers.pop(), source.offers.pop()] == [3, 2, 1])
        #expect(store.count == 2 && store[1] != nil && store[3] != nil && !store.hasUse(for: 2))
        #expect(state.withLock { $0.passes.isEmpty && $0.packets == 0 })
        // When all bytes have come, it goes on as with a file.
        state.withLock { $0.canMakePasses = true }
        waitUntilIdle(maker)
        #expect(store.count == 999)
    }

    /// Without room for one of the session's pictures, the maker waits for the next one.
    @Test func theSessionsPicturesWithoutRoomAreLeft() throws {
        let state = Locked(FakePreviewSource.State(canMakePasses: false, offered: Array(0..<10)))
        let store = store(limit: 2_500)
        let maker = PreviewMaker(FakePreviewSource(state), store)
        store.look(at: 500)
        waitUntilIdle(maker)
        #expect(store.byteCount <= 2_500)
    }

    /// A waiting caller is told when the maker goes.
    @Test func closingTellsTheWaiting() throws {
        let told = Locked(0)
        do {
            let maker = PreviewMaker(FakePreviewSource(), store())
            maker.whenIdle { isComplete in told.withLock { $0 += isComplete ? 100 : 1 } }
        }
        #expect(told.withLock { $0 } == 1)
    }
}
