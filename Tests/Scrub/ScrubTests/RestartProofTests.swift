import ScrubBitstream
import ScrubFileIO
import Foundation
import ScrubLibAV
import ScrubBase
import ScrubDecoding
import ScrubIndex
import ScrubTestClips
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// Restarts that are not confirmed by a header are compared before their pictures are called exact.
@Suite struct RestartProofTests {
    /// An index that makes false claims of restarts, as a container may: every sixth packet.
    ///
    /// The film is ZMBV, which codes the changes since the picture before, with one keyframe.
    private static func claiming() throws -> (index: FrameIndex, source: MediaSource, hashes: [String]) {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "film.avi")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=96x64:r=12:d=2", "-c:v", "zmbv", "-g",
                "300",
                path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        let clip = try KnownClip(path: path)
        let asset = clip.asset
        let table = asset.index.pictures
        var pictures = CodedPictures()
        (pictures.offsets, pictures.sizes) = (Array(table.offsets), Array(table.sizes))
        (pictures.presentationTimes, pictures.decodeTimes) = (Array(table.presentationTimes), Array(table.decodeTimes))
        (pictures.flags, pictures.fingerprints) = (Array(table.flags), Array(table.fingerprints))
        pictures.descriptions = Array(table.descriptions)
        for picture in stride(from: 6, to: pictures.count, by: 6) {
            pictures.flags[picture] = pictures.flags[picture].union([.verified, .key]).with(.open)
        }
        let index = FrameIndex(facts: asset.index.facts, pictures: pictures, presentation: asset.index.presentation)
        return (index, asset.file, clip.hashes)
    }

    private static func planner(
        _ index: FrameIndex, _ source: MediaSource, _ proofs: RestartProofs = RestartProofs(),
        _ unproven: SeekPlanner.UnprovenRestarts = .proven
    ) -> SeekPlanner {
        SeekPlanner(
            file: source, index: index, graph: DependencyGraph(file: source, index: index), proofs: proofs,
            unproven: unproven)
    }

    /// Pictures are drawn over the ones before: a claim is found out, also if its frame is asked for first, alone, or
    /// in a batch.
    @Test func claimsThatDoNotHoldAreRefuted() throws {
        let (index, source, hashes) = try RestartProofTests.claiming()
        try #require(index.frameCount >= 10 && index.restarts.count > 2)
        for frame in 0..<index.frameCount {
            let proofs = RestartProofs()
            let engine = FrameEngine(RestartProofTests.planner(index, source, proofs), options: .init())
            let answer = try engine.frame(frame)
            #expect(answer.verdict == .exact)
            #expect(try answer.frame?.frame.md5() == hashes[frame], "frame \(frame)")
            if index.frames[frame] >= 6 { #expect(proofs.all.values.contains(false)) }
        }
        // Without the comparison some pictures are not called exact, or are others.
        let believing = FrameEngine(
            RestartProofTests.planner(index, source, RestartProofs(), .believed), options: .init())
        let started = try believing.frame(index.frameCount - 1)
        #expect(started.plan.restart > 0)
        let engine = FrameEngine(RestartProofTests.planner(index, source), options: .init())
        try engine.frames(Array(0..<index.frameCount)) { (number, answer) throws(ScrubError) in
            let hash = try? answer.frame?.frame.md5()
            #expect(answer.verdict == .exact && hash == hashes[number])
        }
    }

    /// Claims that hold are compared once, and the finding is kept for the next reader.
    @Test(arguments: ["msmpeg4.avi", "h264-intra-refresh.mp4"])
    func claimsThatHoldAreProvenOnce(_ file: String) throws {
        let clip = try #require(Clip.all.first { $0.file == file })
        let asset = try clip.open()
        let last = try #require(asset.index.restarts.last.flatMap { $0 > 0 ? $0 : nil })
        let frame = try #require(asset.index.frame(ofPicture: Int(last)))
        var reader = FrameReader(asset)
        let hashes = try clip.expectedHashes()
        let answer = try reader.frame(numbered: frame)
        #expect(try answer.picture?.md5() == hashes[frame] && answer.verdict == .exact)
        #expect(asset.proofs.all.values.allSatisfy { $0 } && !asset.proofs.all.isEmpty)
        var second = FrameReader(asset)
        #expect(try second.frame(numbered: frame).decodedPictureCount < answer.decodedPictureCount)
    }

    /// If no proof is asked for, pictures from a claimed restart are not called exact, alone and in a batch. A claim
    /// that the decoder denies does not count: its pictures are decoded from the restart before.
    @Test func unprovenIsNotExact() throws {
        let clip = try #require(Clip.all.first { $0.file == "msmpeg4.avi" })
        let asset = try clip.open()
        let last = try #require(asset.index.frame(ofPicture: Int(asset.index.restarts.last ?? 0)))
        let looking = { FrameEngine(asset.seekPlanner(unproven: .approximate), options: .init()) }
        #expect(try looking().frame(last).verdict.name == "approximate")
        #expect(try looking().frame(1).verdict == .exact, "from the beginning of the stream")
        try looking().frames([1, last]) { (number, answer) throws(ScrubError) in
            #expect(answer.verdict.name == (number == 1 ? "exact" : "approximate"))
        }

        let (index, source, hashes) = try RestartProofTests.claiming()
        let denied = FrameEngine(
            RestartProofTests.planner(index, source, RestartProofs(), .approximate), options: .init())
        let answer = try denied.frame(9)
        #expect(try answer.verdict == .exact && answer.frame?.frame.md5() == hashes[9] && answer.plan.restart == 0)
    }

    /// A gradual restart that promises to be whole three pictures before it is: libavcodec decodes it without a
    /// message. `verify` finds the wrong pictures by itself when restarts are believed, and comparing leaves no wrong
    /// ones.
    @Test func falsePromisesAreFoundByVerifying() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "false-recovery.mp4")
        var film = try Array(Data(contentsOf: URL(filePath: KnownClip("h264-intra-refresh.mp4").asset.path)))
        // A recovery point SEI message (ITU-T H.264 D.1.8): its first field is 10 as ue(v), 0001011, and becomes 7, 0001000.
        let places = film.indices.dropLast(3).filter {
            film[$0] == 6 && film[$0 + 1] == 6 && film[$0 + 3] & 0xfe == 0b0001_0110
        }
        try #require(places.count >= 2)
        for place in places { film[place + 3] = 0b0001_0000 | film[place + 3] & 1 }
        try Data(film).write(to: URL(filePath: path))
        let options = VideoAsset.OpenOptions(cache: .none)
        let believing = try VideoAsset(path: path, options: options, rules: .init(), unproven: .believed)
        #expect(try !believing.verify(sample: 120).faults.isEmpty)
        let asset = try VideoAsset(path: path, options: options)
        #expect(try asset.verify(sample: 120).faults.isEmpty)
        #expect(asset.proofs.all.values.contains(false))
    }

    /// A finding is the saved file's as long as it is the same file, whole and of this version.
    @Test func proofsAreSavedWithAChecksum() throws {
        let clip = try #require(Clip.all.first)
        let key = try IndexFile.Key(MediaSource(path: clip.path), requestedStream: nil)
        let found = [8: true, 16: false]
        let bytes = RestartProofFile.encode(found, key: key)
        #expect(try RestartProofFile.decode(bytes.span, key: key, pictures: 20) == found)
        #expect(throws: ScrubError.self) { try RestartProofFile.decode(bytes.span, key: key, pictures: 10) }
        for place in bytes.indices {
            var damaged = bytes
            damaged[place] ^= 1
            #expect(throws: ScrubError.self) { try RestartProofFile.decode(damaged.span, key: key, pictures: 20) }
        }
    }
}
