import ScrubFileIO
import Foundation
import ScrubLibAV
import ScrubBase
import ScrubDecoding
import ScrubIndex
import ScrubThumbnails
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// The reads of a remote file: counted in requests and bytes, with a modelled source and no clock.
@Suite struct DistantSourceTests {
    static let clips = Repository.clips

    static let codings = [
        "h264-bf3.mp4", "hevc-open-gop.mp4", "vfr.mp4", "demo.mp4", "vp9-altref.webm", "mpeg2-open.ts", "mpeg4-b.avi",
        "h264-paff.mkv", "anim.gif", "h264-paff.mp4",
    ]

    private func open(_ clip: String, head: Int64 = 64 << 10, cache: VideoAsset.IndexCache = .none) throws -> (
        DistantSource, VideoAsset
    ) {
        let path = DistantSourceTests.clips + "/" + clip
        let source = DistantSource(path: path, identifier: "strong validator of \(clip)", head: head)
        return (source, try VideoAsset(source: source, name: clip, options: VideoAsset.OpenOptions(cache: cache)))
    }

    /// The frames are those of the file beside it, whatever is announced and left out.
    @Test(arguments: codings) func theFramesAreTheSame(_ clip: String) throws {
        let near = try VideoAsset(
            path: DistantSourceTests.clips + "/" + clip, options: VideoAsset.OpenOptions(cache: .none))
        let (_, far) = try open(clip, head: 512)
        #expect(far.frames.count == near.frames.count)
        var nearReader = FrameReader(near)
        var farReader = FrameReader(far)
        for number in stride(from: near.frames.count - 1, through: 0, by: -3) {
            let (one, other) = (try nearReader.frame(numbered: number), try farReader.frame(numbered: number))
            #expect(one.verdict == other.verdict)
            #expect(try one.picture?.md5() == other.picture?.md5(), "\(clip) #\(number)")
        }
    }

    /// Tables before the media, and behind them: one request beside the first.
    @Test(arguments: ["demo.mp4", "h264-bf3.mp4", "prores-4444.mov", "h264-paff.mp4"])
    func aMovieOpensWithTwoRequests(_ clip: String) throws {
        // As if the film were longer: the first request has the beginning of the file alone.
        for head in [256, 4096, 12 << 10, 64 << 10] as [Int64] {
            let (source, _) = try open(clip, head: head)
            #expect(source.requests.count <= 3, "\(clip), \(head): \(source.requests)")
            guard head >= 12 << 10 else { continue }
            #expect(!source.requests.contains { $0.isStray }, "\(clip), \(head): \(source.requests)")
            // The first pictures come side by side with the tables where they did not come with the first request.
            #expect(source.requests.count <= (head == 64 << 10 ? 2 : 3), "\(clip), \(head): \(source.requests)")
        }
    }

    /// A frame's pictures come in one request, with as little between them as is cheaper than another one.
    @Test(arguments: ["demo.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4"]) func aSeekIsOneRequest(_ clip: String) throws {
        let (source, asset) = try open(clip, head: 1024)
        for number in stride(from: asset.frames.count - 1, through: 0, by: -5) {
            source.reset()
            var reader = FrameReader(asset)
            #expect(try reader.frame(numbered: number).verdict == .exact)
            #expect(source.requests.count <= 1, "#\(number): \(source.requests)")
            #expect(!source.requests.contains { $0.isStray }, "#\(number): \(source.requests)")
            let plan = reader.engine.planner.feedPlan(forFrame: number)
            let bytes = plan.feeds.reduce(0) { $0 + Int64(asset.index.pictures.sizes[$1.picture]) }
            #expect(source.bytesFetched <= bytes + 256 << 10)
        }
    }

    /// With the index saved another process reads nothing to open, and no picture of a frame that was seen.
    @Test(arguments: codings) func aSavedIndexTakesNoRead(_ clip: String) throws {
        let folder = try TemporaryFolder()
        let cache = VideoAsset.IndexCache(path: folder.path)
        let (_, first) = try open(clip, cache: cache)
        #expect(first.openReport.indexOrigin == .built)
        let (source, second) = try open(clip, head: 0, cache: cache)
        #expect(second.openReport.indexOrigin == .saved)
        #expect(source.reads.isEmpty && source.requests.isEmpty)
    }

    /// Key pictures take their own bytes.
    @Test func keyPicturesTakeTheirOwnBytes() throws {
        let (source, asset) = try open("demo.mp4", head: 1024)
        source.reset()
        let plan = try asset.thumbnailPlan(for: ThumbnailPlan.Request(.count(10), tolerance: .keyframe))
        var reader = FrameReader(asset)
        try reader.eachFrame(numbered: plan.slots.map { $0.frameNumber }) { _ in }
        #expect(!source.requests.contains { $0.isStray }, "\(source.requests)")
        #expect(source.bytesFetched <= plan.byteCount * 6 / 5 + 64 << 10, "\(source.requests)")
    }

    /// One pass over files that have to be read whole, in runs that grow.
    @Test(arguments: ["mpeg2-open.ts", "mpeg4-b.avi", "mpeg2-open.mpg"]) func aPassIsAnnounced(_ clip: String) throws {
        let (source, _) = try open(clip, head: 4096)
        #expect(!source.requests.contains { $0.isStray }, "\(source.requests)")
        #expect(source.bytesFetched <= source.byteCount + 64 << 10)
    }

    /// A read that is left says nothing about the file: the next one goes on as if it had not been.
    @Test(arguments: ["demo.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4", "mpeg2-open.ts"], 0..<6)
    func interruptedReadsAreNotRemembered(_ clip: String, _ seed: UInt64) throws {
        let near = try VideoAsset(
            path: DistantSourceTests.clips + "/" + clip, options: VideoAsset.OpenOptions(cache: .none))
        var nearReader = FrameReader(near)
        let random = Locked(SplitMix(seed))
        let time = Locked<Int64>(0)
        let turn = Locked(Cancellation())
        var way = DistantSource.Way()
        way.delay = 1000
        way.now = { time.withLock { $0 } }
        way.wait = { moment in
            // Now and then something else is wanted before the bytes are there.
            let isLeft = random.withLock { Int.random(in: 0..<3, using: &$0) } > 0
            if isLeft { turn.withLock { $0 }.cancel() } else { time.withLock { $0 = max($0, moment) } }
        }
        let source = DistantSource(
            path: DistantSourceTests.clips + "/" + clip, identifier: clip, head: 1024, way: way)
        let asset = try VideoAsset(source: source, name: clip, options: VideoAsset.OpenOptions(cache: .none))
        let engine = FrameEngine(asset.seekPlanner(), options: .init())
        for _ in 0..<20 {
            let number = random.withLock { Int.random(in: 0..<asset.frames.count, using: &$0) }
            // Half of the tasks are left for the next one.
            let patience = random.withLock { Int.random(in: 0..<8, using: &$0) }
            var (calls, answer): (Int, FrameEngine.Answer?) = (0, nil)
            let request = try turn.withLock { $0 }.perform { () throws(ScrubError) in try engine.start(frame: number) }
            while answer == nil, patience >= 4 || calls <= patience {
                calls += 1
                let next = Cancellation()
                turn.withLock { $0 = next }
                let step = try next.perform { () throws(ScrubError) in try engine.step(request) }
                if case .answer(let found) = step.outcome { answer = found }
            }
            guard let answer else {
                engine.leave(request)
                continue
            }
            #expect(answer.verdict == .exact, "seed \(seed) #\(number)")
            let expected = try nearReader.frame(numbered: number).picture?.md5()
            #expect(try answer.frame?.frame.md5() == expected, "seed \(seed) #\(number)")
        }
    }
}
