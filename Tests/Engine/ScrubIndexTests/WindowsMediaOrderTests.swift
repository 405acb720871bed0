import ScrubFileIO
import ScrubBase
import ScrubIndex
import Testing

/// Display order of Windows Media Video 9 with B pictures, whose containers give decode times alone. The pictures are
/// headers without a picture behind them: an index decodes none.
@Suite struct WindowsMediaOrderTests {
    /// An AVI of WMV3, main profile with B pictures. A picture is a word of `I`, `P` and `B`.
    private func avi(_ pictures: String) -> [UInt8] {
        func little(_ value: Int, _ count: Int = 4) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(data.count) + data + (data.count % 2 == 1 ? [0] : [])
        }
        func list(_ name: String, _ data: [UInt8]) -> [UInt8] { chunk("LIST", Array(name.utf8) + data) }
        // FRMCNT, then PTYPE: 1 P, 01 I, 00 B; the rest means nothing here.
        let heads: [Character: UInt8] = ["P": 0b0010_0000, "I": 0b0001_0000, "B": 0]
        let packets = pictures.enumerated().map { number, type in
            [heads[type] ?? 0, UInt8(number)] + [UInt8](repeating: 0x55, count: 30)
        }
        let header = [40_000, 0, 0, 0x10, packets.count, 0, 1, 64, 176, 144, 0, 0, 0, 0].flatMap { little($0) }
        let stream =
            Array("vidsWMV3".utf8) + [0, 0, 0, 0, 1, 25, 0, packets.count, 64, -1, 0].flatMap { little($0) }
            + [0, 0, 176, 144].flatMap { little($0, 2) }
        // STRUCT_C: main profile, three B pictures in a row allowed.
        let structC: [UInt8] = [0x4E, 0x49, 0x98, 0x31]
        let format =
            little(40 + structC.count) + little(176) + little(144) + little(1, 2) + little(24, 2)
            + Array("WMV3".utf8) + [0, 0, 0, 0, 0].flatMap { little($0) } + structC
        let head = list(
            "hdrl", chunk("avih", header) + list("strl", chunk("strh", stream) + chunk("strf", format)))
        var (movie, index): ([UInt8], [UInt8]) = ([], [])
        for (number, packet) in packets.enumerated() {
            let isKey = Array(pictures)[number] == "I"
            index += Array("00dc".utf8) + [isKey ? 0x10 : 0, movie.count + 4, packet.count].flatMap { little($0) }
            movie += chunk("00dc", packet)
        }
        return chunk("RIFF", Array("AVI ".utf8) + head + list("movi", movie) + chunk("idx1", index))
    }

    private func index(_ pictures: String, rules: IndexRules = .init()) throws -> FrameIndex {
        let file = try TemporaryFile(avi(pictures))
        return try IndexBuilder.makeIndex(of: file.open(), rules: rules)
    }

    @Test(arguments: [
        ("IPBBPBB", [0, 2, 3, 1, 5, 6, 4]), ("IPPP", [0, 1, 2, 3]), ("IPBIPB", [0, 2, 1, 3, 5, 4]),
        ("IPBBIBBPBB", [0, 2, 3, 1, 5, 6, 4, 8, 9, 7]),
    ])
    func bPicturesShowAtOnceAndOthersWait(_ pictures: String, expected: [UInt32]) throws {
        let index = try index(pictures)
        #expect(Array(index.frames) == expected)
        let times = index.frames.indices.map { index.time(ofFrame: $0) }
        #expect(times == times.sorted() && Set(times).count == times.count)
    }

    /// libavcodec drops B pictures that lack one of the two pictures around them (vc1dec.c).
    @Test func bPicturesWithoutBothNeighboursHaveNoNumber() throws {
        #expect(Array(try index("IBBPBB").frames) == [0, 4, 5, 3])
    }
}
