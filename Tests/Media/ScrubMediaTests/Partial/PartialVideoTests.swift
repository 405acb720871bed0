import ScrubBase
import ScrubFileIO
import ScrubIndex
import ScrubMedia
import ScrubTestClips
import ScrubTestSupport
import Testing

/// A film of which parts were read has the frames, the times and the pictures of the same film read completely.
@Suite struct PartialVideoTests {
    static let clips = Clip.all.filter { clip in
        clip.kind == .good && clip.stream == 0
            && [".mkv", ".webm", ".ts", ".m2ts", ".mpg", ".vob"].contains { clip.file.hasSuffix($0) }
    }

    /// Clips of which parts can be read, with gaps between them.
    static let known = ["h264-bf3.mkv", "no-cues.mkv", "hevc-open-gop.mkv", "h264-bf3.ts", "hevc-open-gop.ts"]

    @Test func partsHaveGaps() throws {
        var gapCount = 0
        for name in PartialVideoTests.known {
            let clip = try #require(Clip.all.first { $0.file == name })
            let length = try clip.open().duration
            var film = try #require(try film(clip), "\(name)")
            let late = FramePosition.time(try #require(Rational(4, 5).multiplied(by: length)))
            let asset = try #require(try film.asset(covering: [late]), "\(name)")
            guard let coverage = asset.index.coverage else { continue }
            #expect(asset.knownFrameCount == nil)
            #expect(asset.index.frameCount < clip.frames, "\(name)")
            if coverage.stretchStarts.count > 1 {
                gapCount += 1
                #expect(try asset.resolved(late).frame.knownNumber == nil, "\(name)")
            }
        }
        #expect(gapCount > 0)
    }

    private func film(_ clip: Clip) throws -> PartialVideo? {
        let source = DistantSource(path: clip.path, head: 0)
        // Films whose blocks do not give an index are read completely.
        return try? PartialVideo(
            MediaSource(source, name: clip.file), options: VideoAsset.OpenOptions(cache: .none), step: 2048)
    }

    @Test(arguments: clips) func framesAreThoseOfTheWholeFilm(_ clip: Clip) throws {
        let whole = try clip.open()
        var reader = FrameReader(whole)
        var generator = SplitMix(55)
        for _ in 0..<8 {
            let part = Rational(Int64(generator.next() % 1_000_000), 1_000_000)
            let seconds = try #require(part.multiplied(by: whole.duration))
            for position in [
                FramePosition.time(seconds), .fraction(part), try FramePosition("\(seconds.doubleValue)s"),
                .seconds(seconds.doubleValue), .fraction(.one), .frame(-1), .fraction(.zero),
                .time(whole.duration),
            ] {
                guard var film = try film(clip) else { return }
                let expected = try whole.resolved(position)
                // Where parts are not enough, the whole film is read.
                guard let asset = try? film.asset(covering: [position]) else { continue }
                let found = try asset.resolved(position)
                #expect(found.isClamped == expected.isClamped)
                try expectSame(found.frame, of: asset, expected.frame, &reader, "\(position)")
            }
        }
    }

    private func expectSame(
        _ found: PresentedFrame, of asset: VideoAsset, _ expected: PresentedFrame, _ reader: inout FrameReader,
        _ what: String
    ) throws {
        #expect(found.presentationTime == expected.presentationTime, "\(what)")
        #expect(found.time == expected.time, "\(what)")
        #expect(found.isKeyframe == expected.isKeyframe, "\(what)")
        if let number = found.knownNumber { #expect(number == expected.number, "\(what)") }
        var own = FrameReader(asset)
        let (answer, truth) = (
            try own.frame(numbered: found.number), try reader.frame(numbered: expected.number)
        )
        #expect(answer.verdict == truth.verdict, "\(what)")
        #expect(try answer.picture?.streamMD5() == truth.picture?.streamMD5(), "\(what)")
    }
}
