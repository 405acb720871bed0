import ScrubFileIO
import Foundation
import ScrubLibAV
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubIndex

/// The first bytes of a file, as a recording has them at some moment.
struct Beginning: ByteSource {
    let bytes: [UInt8]
    let count: Int

    var byteCount: Int64 { Int64(count) }

    func read(fromAbsoluteOffset offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard offset < byteCount else { return 0 }
        let part = bytes[Int(offset)..<count].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }
}

/// Recordings that are cut anywhere, against the whole file.
@Suite struct GrowingIndexTests {
    static let folder = Repository.clips

    static func bytes(_ clip: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: folder + "/" + clip)))
    }

    static func source(_ bytes: [UInt8], _ count: Int, _ name: String) throws -> MediaSource {
        try MediaSource(Beginning(bytes: bytes, count: count), name: name)
    }

    /// Containers whose headers are walked here: a step costs next to nothing.
    static let walked = [
        "frag.mp4", "frag-base-moof.mp4", "frag-dash.mp4", "frag-elst.mp4", "frag-every.mp4", "frag-global-sidx.mp4",
        "frag-no-mfra.mp4", "frag-partly.mp4", "frag-separate.mp4", "h264-bf3.mkv", "h264-open-gop.mkv",
        "hevc-open-gop.mkv",
        "hevc-starts-cra.mkv", "vp9-altref.webm", "av1-svt.mkv", "av1-intra-only.mkv", "live.webm", "audio-first.webm",
        "h264-intra-refresh.mkv",
    ]

    /// The files that libavformat reads again each time while they are as short as this.
    static let scanned = [
        "h264-bf3.ts", "h264-open-gop.ts", "hevc-open-gop.ts", "mpeg2-open.ts", "h264-paff.ts", "m2ts.m2ts", "audio.ts",
        "h264-intra-refresh.ts", "mpeg2-mid-gop.ts", "h264-b.flv", "mpeg2.mkv",
    ]

    /// SCRUB_EVERY_BYTE=1 cuts at each, which takes a minute; otherwise at one of five.
    @Test(arguments: walked) func everyByteOfAWalkedFile(_ clip: String) throws {
        try cut(clip, every: ProcessInfo.processInfo.environment["SCRUB_EVERY_BYTE"] == nil ? 5 : 1)
    }

    @Test(arguments: scanned) func wholeAndPartialPackets(_ clip: String) throws { try cut(clip, every: 188 * 7 + 1) }

    /// The file ends within a cluster's checksum at byte 69,578, an element that libavformat skips.
    @Test(arguments: [1092, 1094, 1096, 1097, 1098]) func withinAnElementThatIsSkipped(_ phase: Int) throws {
        try cut("mpeg2.mkv", every: 188 * 7 + 1, phase: phase)
    }

    /// Frames are numbered as in the whole file, never otherwise, and all of them in the end.
    private func cut(_ clip: String, every stride: Int, phase chosen: Int? = nil) throws {
        let bytes = try Self.bytes(clip)
        let whole = try IndexBuilder.makeIndex(of: Self.source(bytes, bytes.count, clip))
        var growing = GrowingIndex()
        var (known, steps) = (0, 0)
        let phase = chosen ?? Int(SplitMix.seed() % UInt64(stride))
        print("\(clip): cut at \(phase) and each \(stride) bytes")
        for count in Swift.stride(from: phase, through: bytes.count, by: stride) {
            let step = try growing.extend(to: Self.source(bytes, count, clip), isComplete: false)
            guard !step.isRevised else {
                Issue.record("\(clip) is numbered anew at byte \(count)")
                return
            }
            guard let index = step.index else { continue }
            guard index.frameCount >= known else {
                Issue.record("\(clip) loses frames at byte \(count)")
                return
            }
            if index.frameCount > known { steps += 1 }
            for frame in known..<index.frameCount {
                guard frame < whole.frameCount, index.frames[frame] == whole.frames[frame],
                    index.time(ofFrame: frame) == whole.time(ofFrame: frame)
                else {
                    Issue.record("\(clip) frame \(frame) is another at byte \(count)")
                    return
                }
            }
            known = index.frameCount
            if stride > 5 || count % 499 == 0 {
                var fresh = GrowingIndex()
                let other = try fresh.extend(to: Self.source(bytes, count, clip), isComplete: false)
                expectSame(index, other.index, "\(clip) at byte \(count)")
            }
        }
        #expect(known <= whole.frameCount)
        #expect(known > whole.frameCount / 4, "\(clip): \(known) of \(whole.frameCount) before the end")
        #expect(steps > 1, "\(clip) comes in \(steps) steps")
        let end = try growing.extend(to: Self.source(bytes, bytes.count, clip), isComplete: true)
        #expect(end.isFinished)
        #expect(!end.isRevised)
        let index = try #require(end.index)
        expectSame(index, whole, clip)
        #expect(index.lastDuration == whole.lastDuration)
        #expect(index.pictures == whole.pictures)
        #expect(index.facts == whole.facts)
    }

    private func expectSame(_ index: FrameIndex, _ other: FrameIndex?, _ what: String) {
        guard let other else {
            Issue.record("\(what): nothing the other way")
            return
        }
        #expect(Array(index.frames) == Array(other.frames), "\(what)")
        for frame in 0..<min(index.frameCount, other.frameCount) {
            #expect(index.time(ofFrame: frame) == other.time(ofFrame: frame), "\(what)")
        }
    }

    /// Pieces of any length, some of none: the answer depends on the bytes alone.
    @Test(arguments: ["frag.mp4", "h264-open-gop.mkv", "live.webm", "h264-bf3.ts"])
    func anySchedule(_ clip: String) throws {
        let seed = SplitMix.seed()
        print("\(clip): seed \(seed)")
        var random = SplitMix(seed)
        let bytes = try Self.bytes(clip)
        for _ in 0..<8 {
            var growing = GrowingIndex()
            var count = 0
            while count < bytes.count {
                let most = [1, 40, 2000, 30_000][Int(random.next() % 4)]
                count = min(bytes.count, count + Int(random.next() % UInt64(most + 1)))
                let step = try growing.extend(to: Self.source(bytes, count, clip), isComplete: false)
                #expect(!step.isRevised)
                if clip.hasSuffix("ts"), most < 2000 { continue }
                var fresh = GrowingIndex()
                let other = try fresh.extend(to: Self.source(bytes, count, clip), isComplete: false)
                #expect(
                    step.index.map { Array($0.frames) } == other.index.map { Array($0.frames) }, "\(clip) seed \(seed)")
            }
        }
    }
}
