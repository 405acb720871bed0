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

    /// Packets of all sizes, more than all batches hold: small ones share a batch's room, others stay libav's, as those
    /// with side data for decoders.
    @Test func packetsOfAllSizesArriveWhole() throws {
        let file = try MediaSource(path: MatroskaFiles.clips + "/vp9-altref.ivf")
        let input = try Input(file, name: file.path)
        let stream = try #require(input.streams.first { $0.kind == .video })
        let facts = StreamFacts(stream, container: "ivf", file: file)
        let sizes = [1, 1000, 0, 4000, 100_000, 131_072, 200_000, 700, 131_071, 3_000_000, 5, 64]
        var state: UInt64 = 1
        let number = { () -> UInt64 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        var alone = PacketPass(stream, facts, rules: .init(), file: file)
        let line = try PacketPipeline(alone, of: file)
        for turn in 0..<3000 {
            let count = turn % 40 < 30 ? Int(number() % 2000) : sizes[Int(number()) % (turn % 100 == 99 ? 12 : 9)]
            let seed = number()
            let fill = { (packet: inout Packet) throws in
                try packet.fill(count: count) { (room) throws(ScrubError) in
                    unsafe room.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: seed))
                    if count > 0 { unsafe room[count - 1] = UInt8(truncatingIfNeeded: turn) }
                }
                if turn % 7 == 0 { try packet.attachExtradata([1, 2, 3]) }
            }
            var packet = try Packet()
            try fill(&packet)
            _ = alone.take(packet)
            let goesOn = try line.bring { (packet) throws(AVError) in
                do { try fill(&packet) } catch { throw AVError(systemFailure: "a packet") }
                return true
            }
            #expect(goesOn)
        }
        let beside = try #require(line.finish())
        #expect(beside.scanned.pictures.sizes.count > 2800)
        #expect(beside.scanned.pictures.sizes == alone.scanned.pictures.sizes)
        #expect(beside.scanned.pictures.fingerprints == alone.scanned.pictures.fingerprints)
        #expect(beside.scanned.pictures.fingerprints.count == beside.scanned.pictures.sizes.count)
    }

    /// Limits count pictures on the other thread, and end the pass.
    @Test func aLimitOfPicturesIsKept() throws {
        let path = MatroskaFiles.clips + "/h264-b.avi"
        for limit in [1, 10] {
            let file = try MediaSource(path: path)
            var limits = MediaLimits()
            limits.maximumPictureCount = limit
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
            var stored = ReadAheadBuffer(file)
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
