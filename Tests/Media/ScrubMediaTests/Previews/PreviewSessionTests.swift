import Foundation
import ScrubBase
import ScrubDecoding
import ScrubFileIO
import ScrubIndex
import ScrubLibAV
import ScrubTestClips
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// Previews of sessions: what they hold, and that nothing of a session stays when it goes.
@Suite struct PreviewSessionTests {
    /// A session that made previews and was moved over leaves neither its track nor its bytes behind.
    @Test func aReleasedSessionLeavesNothing() throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let budget = ScrubBudget()
        weak var track: PreviewTrack?
        weak var released: ScrubSession?
        do {
            let session = try ScrubSession(clip.asset, budget: budget)
            session.observe { _ in }
            session.waitForPreviews(aroundFrame: 30)
            for frame in 30..<60 { session.scrub(toFrame: frame) }
            session.rest()
            session.waitUntilIdle()
            (track, released) = (session.previewTrack, session)
            #expect(track?.frameCount == clip.hashes.count && budget.usedByteCount > 0)
        }
        #expect(released == nil && track == nil)
        #expect(budget.usedByteCount == 0)
    }

    /// Waiting for previews ends with its task, while the previews are still being made.
    @Test func waitingForPreviewsEndsWithItsTask() async throws {
        let held = HeldReads()
        let session = try await held.session()
        let task = Task { try await session.preparePreviews(aroundFrame: 30) }
        await held.waitUntilReading()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        held.release()
        // The session is the same as before.
        #expect(try await session.preparePreviews(aroundFrame: 30))
        #expect(session.previews?.frameCount == session.asset.frames.count)
    }

    /// The result says that the previews are not available if the session ended, or its request was cancelled.
    @Test(arguments: [true, false]) func stoppedPreviewsAreNotReportedAsMade(_ ends: Bool) async throws {
        let held = HeldReads()
        let session = try await held.session()
        let task = Task { try await session.preparePreviews(aroundFrame: 30) }
        await held.waitUntilReading()
        if ends { session.end() } else { session.cancelPendingRequest() }
        #expect(try await task.value == false)
        held.release()
        #expect(try await session.preparePreviews(aroundFrame: 30) == !ends)
    }

    /// Key pictures are made of previews where these are kept, also where there is no room for the decoder that would
    /// make them.
    @Test(arguments: [true, false]) func keyPicturesAreMadeOfPreviews(_ hasPreviews: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Data(contentsOf: URL(filePath: Clip.folder + "/clips/demo.mp4")), to: "film.mp4")
        try folder.age("film.mp4", to: 1_000_000_000)
        let cache = VideoAsset.IndexCache(path: folder.path(of: "cache"))
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: cache))
        if hasPreviews { _ = try asset.keepPreviews() }
        let budget = ByteBudget(limit: 64 << 20)
        let pictures = SessionPictures(
            asset.index, sizes: .full, previews: PreviewTrack(asset, longSide: nil, in: budget, decoders: nil),
            keyPictureByteLimit: 8 << 20, guaranteedByteCount: 0)
        var options = ScrubSession.Options()
        (options.keyPictureCount, options.threadCount, options.keyPictureSide) = (4, 1, 100)
        let member = try #require(budget.join(.init(work: 64 << 20, loans: 0)))
        let engine = FrameEngine(
            asset.seekPlanner(), options: options.engineSettings, budget: member, cache: pictures.full)
        var decoder = SessionDecoder(engine, pictures, options, budget: member)
        while decoder.prepare(isMoving: false, isPreviewed: false) {}
        let kept = pictures.keyPictures.withLock { keys in keys.exactPictures.compactMap { keys[$0]?.frame } }
        #expect(kept.count == (hasPreviews ? asset.seekPlanner().keyFrames(spreadOver: 4).count : 0))
        #expect(kept.allSatisfy { max($0.frame.width, $0.frame.height) == 100 })
        decoder.close()
        member.leave()
    }

    /// Where a moving finger finds previews, a packet is decoded ahead for each move and two threads, and no more
    /// before the next one. At rest, and where there are none, everything is prepared.
    @Test(arguments: [true, false])
    func aFingerThatFindsPreviewsLeavesTheProcessorsToOthers(_ hasPreviews: Bool) throws {
        let asset = try KnownClip("h264-one-key.mp4").asset
        let budget = ByteBudget(limit: 128 << 20)
        let previews = PreviewTrack(asset, longSide: nil, in: budget, decoders: nil)
        let pictures = SessionPictures(
            asset.index, sizes: .full, previews: previews, keyPictureByteLimit: 0, guaranteedByteCount: 0)
        pictures.limit(to: 64 << 20)
        var options = ScrubSession.Options()
        (options.keyPictureCount, options.threadCount) = (0, 4)
        let member = try #require(budget.join(.init(work: 16 << 20, loans: 0)))
        let engine = FrameEngine(
            asset.seekPlanner(), options: options.engineSettings, budget: member, cache: pictures.full)
        var decoder = SessionDecoder(engine, pictures, options, budget: member)
        if hasPreviews {
            let gate = BoundedQueue<Void>(capacity: 1)
            previews?.look(at: 40)
            previews?.whenFull { _ in gate.offer(()) }
            _ = gate.pop()
            #expect(previews?.frameCount == asset.index.frameCount)
        }
        var packets: [Int] = []
        for frame in 40..<46 {
            decoder.note(frame)
            packets.append(1)
            while packets[frame - 40] < 200, decoder.prepare(isMoving: true, isPreviewed: hasPreviews) {
                packets[frame - 40] += 1
            }
            // More is not done before the next move.
            let hasMore = hasPreviews ? decoder.prepare(isMoving: true, isPreviewed: true) : false
            #expect(!hasMore)
        }
        if hasPreviews {
            #expect(packets == [2, 2, 2, 2, 2, 2])
        } else {
            #expect(packets.reduce(0, +) > 24)
        }
        // At rest the frames around it are prepared to the end.
        var rest = 0
        while rest < 500, decoder.prepare(isMoving: false, isPreviewed: false) { rest += 1 }
        let isThere = pictures.full(47) != nil
        #expect(isThere && rest < 500)
        decoder.close()
        member.leave()
    }
}

/// Reads of a film that wait, once its session exists, until they are released.
private struct HeldReads: Sendable {
    private let begun = BoundedAsyncQueue<Void>(capacity: 1)
    private let gate = BoundedQueue<Void>(capacity: 1)
    private let isHeld = Locked(false)

    func session() async throws -> ScrubSession {
        let source = try ByteSourceTests.Slow("h264-bf3.mp4") { [self] _ in
            guard isHeld.withLock({ $0 }) else { return }
            _ = begun.offer(())
            _ = gate.pop()
        }
        let options = VideoAsset.OpenOptions(cache: .none)
        let session = try ScrubSession(try await VideoAsset.open(source: source, name: "film.mp4", options: options))
        isHeld.withLock { $0 = true }
        return session
    }

    func waitUntilReading() async { _ = await begun.next() }

    func release() {
        isHeld.withLock { $0 = false }
        gate.close()
    }
}
