import Foundation
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// What ends a session's sequences, and what does not.
@Suite struct SessionEndTests {
    /// A source that fails while it is switched off.
    private final class SwitchedSource: ByteSource {
        struct Off: Error {}

        private let bytes: [UInt8]
        let isOff = Locked(false)

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var byteCount: Int64 { Int64(bytes.count) }

        func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            guard !isOff.withLock({ $0 }) else { throw Off() }
            let part = bytes[Int(offset)...].prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    private func session() throws -> ScrubSession {
        try ScrubSession(
            try KnownClip("h264-bf3.mp4").asset, options: .init(), budget: ScrubBudget(byteLimit: 64 << 20))
    }

    /// A loop over updates or events ends with `end()`, whether it was there before or comes after.
    @Test func theEndEndsTheSequences() async throws {
        let session = try session()
        let (updates, events) = (session.updates, session.events)
        session.scrub(toFrame: 40, isMoving: false)
        session.end()
        for await update in updates { #expect(update.requestedFrame == 40) }
        for await _ in events {}
        session.scrub(toFrame: 50)
        for await update in session.updates { #expect(update.requestedFrame == 40) }
        for await _ in session.events {}
        session.end()
        #expect(session.counters.requestCount == 1)
    }

    /// A request that is given up ends nothing: the next one is answered in the same sequence.
    @Test func aRequestThatIsGivenUpEndsNothing() async throws {
        let session = try session()
        let updates = session.updates
        session.scrub(toFrame: 40)
        session.cancelPendingRequest()
        session.scrub(toFrame: 60, isMoving: false)
        for await update in updates where update.requestedFrame == 60 && update.stage == .exact {
            #expect(update.frame.number == 60)
            break
        }
    }

    /// A request whose bytes cannot be read is an update with the error, and the next one is answered.
    @Test func aFailedRequestIsAnUpdate() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let source = SwitchedSource([UInt8](try Data(contentsOf: URL(filePath: clip.asset.path))))
        let asset = try await VideoAsset.open(source: source, name: "film", options: .init(cache: .none))
        var options = ScrubSession.Options()
        (options.keyPictureCount, options.makesPreviews) = (0, false)
        let session = try ScrubSession(asset, options: options, budget: ScrubBudget(byteLimit: 64 << 20))
        var (updates, events) = (session.updates.makeAsyncIterator(), session.events.makeAsyncIterator())
        let failures = Locked<[Int]>([])
        session.observeFailures { request, _, _ in failures.withLock { $0.append(request) } }
        source.isOff.withLock { $0 = true }
        session.scrub(toFrame: 40, isMoving: false)
        let failed = try #require(await updates.next())
        #expect(failed.stage == .failed && failed.request == 1 && failed.requestedFrame == 40)
        #expect(failed.frame.number == 40 && failed.picture == nil && failed.verdict.name == "undecodable")
        #expect(failed.error?.code == .inputOutput, "\(failed)")
        // The event has its words, and comes once.
        #expect(await events.next()?.kind == .requested)
        guard case .failed(let words)? = await events.next()?.kind else {
            Issue.record("no event of the failure")
            return
        }
        #expect(words.contains(failed.error?.cause ?? "-"))
        // Who starts to listen afterwards is told, too.
        var late = session.updates.makeAsyncIterator()
        let again = try #require(await late.next())
        #expect(again.stage == .failed && again.request == 1 && again.error == failed.error)
        await #expect(throws: ScrubError.self) { try await session.exactFrame(at: .frame(41)) }
        source.isOff.withLock { $0 = false }
        session.scrub(toFrame: 60, isMoving: false)
        while let update = await updates.next() {
            guard update.request == 3 else { continue }
            #expect(update.error == nil)
            guard update.stage == .exact else { continue }
            #expect(update.frame.number == 60)
            #expect(try update.picture?.md5() == clip.hashes[60])
            break
        }
        #expect(failures.withLock { $0 } == [1, 2])
    }

    /// One call waits for the very frame, and says whether it was replaced, cancelled, or over.
    @Test func oneCallWaitsForTheExactFrame() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let session = try session()
        for number in [40, 41, 0, clip.hashes.count - 1, 0] {
            let update = try #require(try await session.exactFrame(at: .frame(number)))
            #expect(update.frame.number == number && update.stage == .exact && update.verdict == .exact)
            #expect(try update.picture?.md5() == clip.hashes[number])
        }
        #expect(try await session.exactFrame(at: .fraction(2))?.frame.number == clip.hashes.count - 1)
        let error = await #expect(throws: ScrubError.self) { try await session.exactFrame(at: .frame(1000)) }
        #expect(error?.code == .usage)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.exactFrame(at: .frame(7))
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        session.end()
        #expect(try await session.exactFrame(at: .frame(5)) == nil)
    }

    /// A caller that keeps every picture is refused at some point, and does not wait for itself.
    @Test func aCallerThatKeepsAllPicturesIsRefused() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        var options = ScrubSession.Options()
        (options.makesPreviews, options.keyPictureCount, options.threadCount) = (false, 0, 1)
        let least = options.minimumByteCount(for: clip.asset)
        let session = try ScrubSession(clip.asset, options: options, budget: ScrubBudget(byteLimit: least))
        var kept: [ScrubSession.Update] = []
        let error = await #expect(throws: ScrubError.self) {
            for number in 0..<clip.hashes.count {
                kept.append(try #require(try await session.exactFrame(at: .frame(number))))
            }
        }
        #expect(error?.code == .unavailable && kept.count >= 2)
        kept = []
        #expect(try await session.exactFrame(at: .frame(90))?.frame.number == 90)
    }

    /// An observer may own its session, or end another one when it goes.
    @Test func anObserverMayOwnItsSession() throws {
        final class Owner: Sendable {
            let observation: Locked<ScrubSession.Observation?>
            init(_ observation: ScrubSession.Observation) { self.observation = Locked(observation) }
            deinit { observation.withLock { $0 }?.end() }
        }
        var session: ScrubSession? = try session()
        let other = try #require(session).observe { _ in }
        let owner = Owner(other)
        try #require(session).observe { _ in withExtendedLifetime(owner) {} }
        try #require(session).end()
        let held = session
        let mine = try #require(session).observe { _ in withExtendedLifetime(held) {} }
        session = nil
        mine.end()
    }

    /// Requests that replace each other from several tasks: one of them gets its frame, and none waits for ever.
    @Test func theNewestOfSeveralWaitersWins() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let session = try session()
        let found = try await withThrowingTaskGroup(of: (Int, ScrubSession.Update?).self) { group in
            for number in stride(from: 3, to: 99, by: 7) {
                group.addTask { (number, try await session.exactFrame(at: .frame(number))) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let answered = found.filter { $0.1 != nil }
        #expect(!answered.isEmpty)
        for (number, update) in answered {
            #expect(update?.frame.number == number)
            #expect(try update?.picture?.md5() == clip.hashes[number])
        }
        // A request that the app cancels ends its wait, whenever that happens.
        let events = session.events
        let waiting = Task { try await session.exactFrame(at: .frame(50)) }
        for await event in events where event.requestedFrame == 50 { break }
        session.cancelPendingRequest()
        let update = try await waiting.value
        #expect(update == nil || update?.frame.number == 50)
    }

    /// Events and updates number requests alike, from 1.
    @Test func eventsNumberRequestsAsUpdatesDo() async throws {
        let session = try session()
        let (updates, events) = (session.updates, session.events)
        for frame in [40, 3, 40, 60] { session.scrub(toFrame: frame, isMoving: false) }
        for await update in updates where update.stage == .exact && update.request == 4 {
            #expect(update.requestedFrame == 60)
            break
        }
        session.end()
        var numbers: [Int] = []
        for await event in events {
            if event.kind == .requested { numbers.append(event.request) }
            if case .shown = event.kind { #expect(event.requestedFrame == [40, 3, 40, 60][event.request - 1]) }
        }
        #expect(numbers == [1, 2, 3, 4])
    }

    /// Each access has every picture. The iterators of one value share its events.
    @Test func eachAccessIsASequenceOfItsOwn() async throws {
        let session = try session()
        let (first, second, events) = (session.updates, session.updates, session.events)
        var (one, two) = (events.makeAsyncIterator(), events.makeAsyncIterator())
        session.scrub(toFrame: 40, isMoving: false)
        for updates in [first, second] {
            for await update in updates where update.stage == .exact {
                #expect(update.frame.number == 40)
                break
            }
        }
        #expect(await one.next()?.kind == .requested)
        #expect(await two.next()?.kind != .requested)
    }

    /// A reader whose task is cancelled holds no picture, also where its sequence stays.
    @Test func aCancelledReaderIsForgotten() async throws {
        let session = try session()
        let updates = session.updates
        let task = Task { for await _ in updates {} }
        task.cancel()
        await task.value
        session.scrub(toFrame: 40, isMoving: false)
        session.waitUntilIdle()
        #expect(session.heldByteCount == 0)
        for await _ in updates { Issue.record("it has ended") }
    }
}
