import ScrubBase
import ScrubPlayers
import ScrubTestSupport
import Testing

@Suite struct EventHubTests {
    private let item = PlayerItem.ID(1)

    private func transition(_ number: Int) -> Player.Event {
        .itemTransition(from: PlayerItem.ID(number), to: PlayerItem.ID(number + 1), reason: .automatic)
    }

    /// Returns the content of a stream's buffer, when its hub has gone.
    private func rest(of events: Player.Events) async -> [Player.Event] {
        var all: [Player.Event] = []
        for await event in events { all.append(event) }
        return all
    }

    @Test func eachSubscriberHearsEverything() async {
        let hub = PlayerEventHub()
        let (first, second) = (hub.stream(), hub.stream([.itemTransition, .itemEnded]))
        let sent: [Player.Event] = [
            transition(1), .stalled(Player.Position(item: item, time: .zero)), .itemEnded(item),
        ]
        for event in sent { hub.publish(event) }
        hub.finish()
        #expect(await rest(of: first) == sent)
        #expect(await rest(of: second) == [sent[0], sent[2]])
    }

    /// Two iterators of one value do not get half each.
    @Test func eachIteratorHearsEverything() async {
        let hub = PlayerEventHub()
        let events = hub.stream()
        var (first, second) = (events.makeAsyncIterator(), events.makeAsyncIterator())
        hub.publish(transition(1))
        #expect(await first.next() == transition(1))
        #expect(await second.next() == transition(1))
    }

    @Test func statesAreTheNewestAndDroppedFramesAreSummed() async {
        let hub = PlayerEventHub()
        let events = hub.stream()
        hub.publish(.stateChanged(.preparing))
        hub.publish(.framesDropped(Player.DroppedFrames(lateCount: 1)))
        hub.publish(transition(1))
        hub.publish([.stateChanged(.playing), .framesDropped(Player.DroppedFrames(lateCount: 2, jumpedCount: 7))])
        hub.finish()
        let heard = await rest(of: events)
        #expect(
            heard == [
                transition(1), .stateChanged(.playing),
                .framesDropped(Player.DroppedFrames(lateCount: 3, jumpedCount: 7)),
            ])
    }

    @Test func droppedEventsAreCounted() async {
        let hub = PlayerEventHub()
        let events = hub.stream([.itemTransition, .state])
        hub.publish(.stateChanged(.playing))
        for number in 0..<PlayerEventHub.bufferLimit + 10 { hub.publish(transition(number)) }
        hub.finish()
        let heard = await rest(of: events)
        #expect(heard.prefix(3) == [.overflow(count: 10), .stateChanged(.playing), transition(10)])
        #expect(heard.count == PlayerEventHub.bufferLimit + 2)
    }

    /// A task that listens keeps neither itself nor its owner alive.
    @Test func endsWithItsOwner() async {
        final class Owner: Sendable {
            let hub = PlayerEventHub()
            let heard = Locked(0)
            func listen() -> Task<Void, Never> {
                let events = hub.stream()
                return Task { [weak self] in
                    for await _ in events { self?.heard.withLock { $0 += 1 } }
                }
            }
        }
        var owner: Owner? = Owner()
        weak let watched = owner
        let task = owner?.listen()
        owner?.hub.publish(transition(1))
        owner = nil
        #expect(watched == nil)
        await task?.value
    }

    /// The hub's owner goes although a listener's task holds its stream, and a listener that holds itself strongly goes
    /// with the stream's end.
    @Test func aListenerWithStrongSelfGoesWithTheStream() async {
        final class Listener: Sendable {
            let heard = Locked(0)
            func listen(_ events: Player.Events) -> Task<Void, Never> {
                Task { for await _ in events { self.heard.withLock { $0 += 1 } } }
            }
        }
        var hub: PlayerEventHub? = PlayerEventHub()
        weak let watchedHub = hub
        var listener: Listener? = Listener()
        weak let watched = listener
        let task = hub.flatMap { listener?.listen($0.stream()) }
        hub?.publish(transition(1))
        listener = nil
        hub = nil
        #expect(watchedHub == nil)
        await task?.value
        await until { watched == nil }
    }

    @Test func cancellationLeaves() async {
        let hub = PlayerEventHub()
        let events = hub.stream()
        let task = Task {
            var iterator = events.makeAsyncIterator()
            return await iterator.next()
        }
        task.cancel()
        #expect(await task.value == nil)
        let observation = hub.observe { _ in }
        #expect(hub.subscriberCount == 1, "the stream's buffer went with its iterator")
        withExtendedLifetime(observation) {}
        withExtendedLifetime(events) {}
    }

    @Test func subscribersOfAFinishedHubEndAtOnce() async {
        let hub = PlayerEventHub()
        hub.finish()
        hub.publish(transition(1))
        #expect(await rest(of: hub.stream()) == [])
        #expect(hub.subscriberCount == 0)
    }

    @Test func eventsSentWithinACallComeLater() {
        let hub = PlayerEventHub()
        let log = Locked<[String]>([])
        let first = hub.observe { event in
            log.withLock { $0.append("first \(name(event))") }
            if event == .itemEnded(item) { hub.publish([transition(1), .stateChanged(.idle)]) }
            log.withLock { $0.append("first done") }
        }
        let second = hub.observe { event in log.withLock { $0.append("second \(name(event))") } }
        hub.publish(.itemEnded(item))
        let heard = log.withLock { $0 }
        #expect(
            heard.filter { $0.hasPrefix("first") }
                == ["first ended", "first done", "first transition", "first done", "first state", "first done"])
        #expect(heard.filter { $0.hasPrefix("second") } == ["second ended", "second transition", "second state"])
        first.end()
        hub.publish(.itemEnded(item))
        #expect(log.withLock { $0.last } == "second ended")
        withExtendedLifetime((first, second)) {}
    }

    private func name(_ event: Player.Event) -> String {
        switch event.kind {
        case .itemEnded: "ended"
        case .itemTransition: "transition"
        case .state: "state"
        default: "other"
        }
    }

    /// Four threads send; each of several subscribers hears the same order, and each sender's own order in it.
    @Test func threadsSendInOneOrder() async throws {
        let hub = PlayerEventHub()
        let heard = (0..<3).map { _ in Locked<[Player.Event]>([]) }
        let observations = heard.map { log in hub.observe { event in log.withLock { $0.append(event) } } }
        let ended = Locked(0)
        for thread in 0..<4 {
            try DedicatedThread {
                for number in 0..<200 {
                    hub.publish(.itemEnded(PlayerItem.ID(thread * 1000 + number)))
                }
                ended.withLock { $0 += 1 }
            }.detach()
        }
        await until { ended.withLock { $0 } == 4 && heard.allSatisfy { log in log.withLock { told($0) } == 800 } }
        let orders = heard.map { log in log.withLock { $0.filter { $0.kind == .itemEnded } } }
        for order in orders where order.count == 800 {
            #expect(orders.allSatisfy { $0.count < 800 || $0 == order })
            let numbers = order.compactMap { event -> Int? in
                guard case .itemEnded(let item) = event else { return nil }
                return item.value
            }
            for thread in 0..<4 {
                #expect(numbers.filter { $0 / 1000 == thread } == Array(thread * 1000..<thread * 1000 + 200))
            }
        }
        withExtendedLifetime(observations) {}
    }

    /// Events that were heard, or counted as lost.
    private func told(_ events: [Player.Event]) -> Int {
        events.reduce(0) { sum, event in
            if case .overflow(let count) = event { return sum + count }
            return sum + 1
        }
    }
}
