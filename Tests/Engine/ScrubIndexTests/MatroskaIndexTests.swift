@testable import ScrubIndex
import ScrubFileIO
import Foundation
import ScrubLibAV
import ScrubBase
import ScrubTestSupport
import Testing

/// The index by block headers against the one by all packets, for every Matroska and WebM file at hand.
@Suite struct MatroskaIndexTests {
    @Test(arguments: MatroskaFiles.all)
    func headersSayWhatPacketsSay(_ path: String) throws {
        let file = try MediaSource(path: path)
        let name = URL(filePath: path).lastPathComponent
        let table: FrameIndex
        do throws(TableFallbackReason) {
            table = try MatroskaIndexer(file).makeIndex(requestedStream: nil)
        } catch {
            #expect(MatroskaFiles.handedOver[name] == error.why, "\(name): \(error.why)")
            return
        }
        #expect(MatroskaFiles.handedOver[name] == nil, "\(name) was to be handed over")
        let scan = try ScanIndexer(file, progress: nil).makeIndex(requestedStream: nil)
        #expect(scan.facts.route == .direct)
        expectEqual(table, scan, isSound: !MatroskaFiles.wrongKeys.contains(name))
    }

    private func expectEqual(_ table: FrameIndex, _ scan: FrameIndex, isSound: Bool) {
        #expect(table.facts.container == scan.facts.container)
        #expect(table.facts.streamIndex == scan.facts.streamIndex)
        #expect(table.facts.codec == scan.facts.codec)
        #expect(table.facts.route == scan.facts.route)
        #expect(table.facts.timeBase == scan.facts.timeBase)
        #expect(table.facts.sampleAspectRatio == scan.facts.sampleAspectRatio)
        #expect(table.facts.displayMatrix == scan.facts.displayMatrix)
        #expect(table.facts.changesParameters == scan.facts.changesParameters)
        #expect(table.facts.descriptions.map(\.extradata) == scan.facts.descriptions.map(\.extradata))
        #expect(table.pictures.offsets == scan.pictures.offsets)
        #expect(table.pictures.sizes == scan.pictures.sizes)
        #expect(table.pictures.presentationTimes == scan.pictures.presentationTimes)
        #expect(Array(table.frames) == Array(scan.frames))
        #expect(table.repairedTimes == scan.repairedTimes)
        #expect(table.lastDuration == scan.lastDuration)
        #expect(table.reorderDelay == scan.reorderDelay)
        // Leading pictures that a stream begins with are hidden for the packet pass and undecodable for the tables.
        let isOut = { (flags: PictureFlags) in !flags.isDisjoint(with: [.hidden, .undecodable, .secondField]) }
        #expect(table.pictures.flags.map(isOut) == scan.pictures.flags.map(isOut))
        if isSound {
            #expect(table.pictures.flags.map { $0.contains(.key) } == scan.pictures.flags.map { $0.contains(.key) })
            #expect(Array(table.restarts) == Array(scan.restarts))
        } else {
            #expect(Set(Array(table.restarts)).isSuperset(of: Array(scan.restarts)))
        }
        let shown = { (index: FrameIndex) in
            index.displayOrder.filter { !index.pictures.flags[Int($0)].contains(.undecodable) }
        }
        #expect(shown(table) == shown(scan))
    }

    /// Facts that no header tells, or not exactly, are left to libavformat's pass; the builder's answer is then that
    /// one's.
    @Test(arguments: MatroskaFiles.handedOver.keys.sorted())
    func theRestIsHandedOver(_ name: String) throws {
        let known = MatroskaFiles.all.first { $0.hasSuffix("/" + name) }
        // The corpus's names begin with where they are from, and it need not be here.
        guard known != nil || !name.contains("__") else { return }
        let path = try #require(known)
        let file = try MediaSource(path: path)
        let built = try IndexBuilder.makeIndex(of: file)
        let scan = try ScanIndexer(file, progress: nil).makeIndex(requestedStream: nil)
        #expect(built.facts == scan.facts)
        #expect(built.pictures == scan.pictures)
    }
}

/// The cost of an index by block headers.
@Suite struct MatroskaCostTests {
    private func element(_ id: [UInt8], _ body: [UInt8]) -> [UInt8] {
        id + [0x10 | UInt8(body.count >> 24)] + [16, 8, 0].map { UInt8(truncatingIfNeeded: body.count >> $0) } + body
    }

    /// Of a film's payloads next to nothing is read.
    @Test func bytesReadAreAFractionOfTheFile() throws {
        let video = element([0xE0], element([0xB0], [0, 64]) + element([0xBA], [0, 64]))
        let entry =
            element([0xD7], [1]) + element([0x83], [1]) + element([0x86], Array("V_MJPEG".utf8))
            + element([0x23, 0xE3, 0x83], [0x02, 0x62, 0x5A, 0x00]) + video
        // Of each picture that does not bring its tables more would have to be read.
        let quantization: [UInt8] = [0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
        let huffman = { (tables: UInt8) in [0xFF, 0xC4, 0, 20, tables, 1] + [UInt8](repeating: 0, count: 16) }
        let scan: [UInt8] = [0xFF, 0xC0, 0, 11, 8, 0, 64, 0, 64, 1, 1, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0]
        let picture: [UInt8] = [0xFF, 0xD8] + quantization + huffman(0x00) + huffman(0x10) + scan
        var clusters: [UInt8] = []
        for second in 0..<10 as Range<UInt8> {
            let start = UInt16(second) * 1000
            var blocks = element([0xE7], [UInt8(start >> 8), UInt8(start & 255)])
            for frame in 0..<25 as Range<UInt16> {
                let time = frame * 40
                let header: [UInt8] = [0x81, UInt8(time >> 8), UInt8(time & 255), 0x80]
                blocks += element([0xA3], header + picture + [UInt8](repeating: second, count: 20_000))
            }
            clusters += element([0x1F, 0x43, 0xB6, 0x75], blocks)
        }
        let head =
            element([0x15, 0x49, 0xA9, 0x66], element([0x2A, 0xD7, 0xB1], [0x0F, 0x42, 0x40]))
            + element([0x16, 0x54, 0xAE, 0x6B], element([0xAE], entry))
        let file = try TemporaryFile(
            element([0x1A, 0x45, 0xDF, 0xA3], element([0x42, 0x82], Array("matroska".utf8)))
                + element([0x18, 0x53, 0x80, 0x67], head + clusters)
        ).open()
        let index = try MatroskaIndexer(file).makeIndex(requestedStream: nil)
        #expect(index.frameCount == 250)
        #expect(index.facts.timeBase == Rational(1, 1000))
        #expect((0..<250).map { index.time(ofFrame: $0) } == (0..<250).map { Int64($0 * 40) })
        #expect(index.lastDuration == 40)
        #expect(index.restarts.count == 250)
        let (bytes, calls) = file.cost
        #expect(bytes < file.byteCount / 200)
        #expect(calls < 2 * 250)
    }
}

/// The Matroska and WebM files of `testdata`, and of the corpus when `SCRUB_CORPUS` names its folder.
enum MatroskaFiles {
    static let all: [String] = folders.flatMap { folder in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".mkv") || $0.hasSuffix(".webm") }.sorted().map { folder + "/" + $0 }
    }

    static let clips = Repository.clips

    private static let folders: [String] = {
        guard let corpus = ProcessInfo.processInfo.environment["SCRUB_CORPUS"], !corpus.isEmpty else { return [clips] }
        return [clips, corpus, corpus + "/files"]
    }()

    /// Files whose block groups name no references, so that each block claims to be a key. Claims are looked into
    /// before they are used.
    static let wrongKeys: Set<String> = ["fate__vp8_video_with_alpha.webm"]

    /// Files that headers don't suffice for, and why.
    static let handedOver: [String: String] = [
        // Flipped bits change the order counts of pictures that are looked at.
        "damaged-hevc.mkv": "its times may be decode times",
        "dup-fast.mkv": "the last picture has no duration",
        "ffv1-bgra.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "ffv1-gop.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "ffv1-intra.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "ffv1-yuva.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "film-ffv1.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "film-jpegls.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "film-magicyuv.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "film-mpeg1-p.mkv": "its blocks have the codec V_MPEG1",
        "film-mpeg4.mkv": "its blocks have the codec V_MPEG4/ISO/ASP",
        "h264-paff.mkv": "each field may have its own block",
        "missing-times.mkv": "a block has a negative time",
        "mpeg2.mkv": "its blocks have the codec V_MPEG2",
        "order-vfw-h264-b.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "order-vfw-mpeg4-b.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "order-vfw-mpeg4-packed.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
        "size-change.mkv": "parameter sets change within the stream",
        // Of the corpus.
        "androidx__sample_with_ssa_subtitles.mkv": "the last picture has no duration",
        "jcodec__test1.short.mkv": "its blocks have the codec V_MS/VFW/FOURCC",
    ]
}
