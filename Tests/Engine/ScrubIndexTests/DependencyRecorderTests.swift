@testable import ScrubIndex
import ScrubBitstream
import ScrubFileIO
import ScrubLibAV
import ScrubBase
import Testing

/// A packet pass's record of the pictures' dependencies.
@Suite struct DependencyRecorderTests {
    /// A stream whose packets are in one piece up to the `seam`th is described as if that had been known before.
    @Test(arguments: ["h264-b.avi", "h264-bf3.mkv", "av1-svt.ivf", "vp8-altref.webm"], [0, 1, 37, 60])
    func aLateChangeOfRouteLosesNothing(_ clip: String, _ seam: Int) throws {
        let file = try MediaSource(path: MatroskaFiles.clips + "/" + clip)
        let index = try ScanIndexer(file, progress: nil).makeIndex(requestedStream: nil)
        #expect(index.facts.route == .direct && index.dependencies.isEmpty && index.pictures.count >= 60)
        let description = index.facts.descriptions[0]
        var pictures = CodedPictures()
        pictures.offsets = Array(index.pictures.offsets)
        pictures.sizes = Array(index.pictures.sizes)
        let accesses = index.pictures.flags.map(\.randomAccess)

        var expected = DependencyRecorder(codec: index.facts.codec, extradata: description.extradata)
        var found = expected
        found.record(Array(accesses.prefix(seam)), of: pictures, from: file)
        for picture in 0..<pictures.count {
            let bytes = try file.read(at: pictures.offsets[picture], count: Int(pictures.sizes[picture]))
            expected.record(bytes.span, access: accesses[picture])
            if picture >= seam { found.record(bytes.span, access: accesses[picture]) }
        }
        let tables = expected.finish()
        #expect(found.finish() == tables)
        #expect(tables.map(\.pictureCount).reduce(0, +) == pictures.count)
    }
}
