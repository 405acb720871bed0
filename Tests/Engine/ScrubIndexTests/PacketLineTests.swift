@testable import ScrubIndex
import ScrubFileIO
import ScrubLibAV
import ScrubBase
import Testing

/// A pass whose packets are looked at on another thread finds what one on the reader's own thread finds.
@Suite struct PacketLineTests {
    private static let clips = [
        "h264-b.avi", "h264-bf3.mkv", "av1-svt.ivf", "vp8-altref.webm", "film-mjpeg.avi", "film-mpeg1.mpg",
        "film-mpeg2.ts", "film-hevc-p.ts", "damaged-ts-cut.ts",
    ]

    /// Files are read beside; the same bytes in memory are not.
    @Test(arguments: clips) func threadsChangeNothing(_ clip: String) throws {
        let file = try MediaSource(path: MatroskaFiles.clips + "/" + clip)
        let bytes = try file.read(at: 0, count: Int(file.byteCount))
        let same = try MediaSource(MemorySource(bytes), name: file.path)
        let key = try IndexFile.Key(file, requestedStream: nil)
        let beside = try ScanIndexer(file, progress: nil).makeIndex(requestedStream: nil)
        let alone = try ScanIndexer(same, progress: nil).makeIndex(requestedStream: nil)
        #expect(IndexFile.encode(beside, key: key) == IndexFile.encode(alone, key: key))
        #expect(beside.offsets == (0..<beside.frameCount).map { beside.offset(ofFrame: $0) })
    }

    /// Limits count pictures on the other thread, and end the pass.
    @Test func aLimitOfPicturesIsKept() throws {
        let path = MatroskaFiles.clips + "/h264-b.avi"
        for limit in [1, 10] {
            let file = try MediaSource(path: path)
            var limits = MediaLimits()
            limits.pictureCount = limit
            file.opening.begin(limits, byteCount: file.byteCount)
            defer { file.opening.end() }
            #expect(throws: ScrubError.self) { try ScanIndexer(file, progress: nil).makeIndex(requestedStream: nil) }
            #expect(file.opening.refusal != nil)
        }
    }
}

/// Bytes that are compared with packets are the file's, however they are read.
@Suite struct StoredBytesTests {
    @Test func longAndShortReadsSayTheSame() throws {
        let file = try MediaSource(path: MatroskaFiles.clips + "/h264-b.avi")
        let all = try file.read(at: 0, count: Int(file.byteCount))
        for stride in [1, 100, 5000, 20_000] {
            var stored = StoredBytes(file)
            var place = 0
            while place < all.count {
                stored.note(packetAt: Int64(place))
                for (start, count) in [(place, 64), (place + 40, 200), (max(0, place - 30), 31)] {
                    let isThere = start + count <= all.count
                    #expect(stored.read(at: Int64(start), count: count) == isThere)
                    guard isThere else { continue }
                    let found = stored.span(at: Int64(start), count: count)
                    #expect(found.indices.allSatisfy { found[$0] == all[start + $0] })
                }
                place += max(stride, all.count / 300)
            }
            #expect(!stored.read(at: -1, count: 1) && !stored.read(at: .max, count: 1))
        }
    }
}
