import ScrubBatchLogic
import ScrubBase
import ScrubTestSupport
import Testing

struct BatchManifestTests {
    private static func files(_ text: String) throws -> [String] {
        try BatchManifest(Array(text.utf8)).entries.map(\.file)
    }

    private static let readable: [(String, [String])] = [
        ("", []), ("\n\n \t\r\n", []), ("a.mp4", ["a.mp4"]), ("a.mp4\nb/c.mkv\n", ["a.mp4", "b/c.mkv"]),
        ("a.mp4\r\nb.mkv\r\n", ["a.mp4", "b.mkv"]), ("\u{FEFF}a\n", ["a"]), (" a \n#b\n", [" a ", "#b"]),
        ("a\u{2028}b\n", ["a\u{2028}b"]),
        ("./{a}\n{b}\n", ["./{a}", "{b}"]), ("/abs/a\n", ["/abs/a"]), ("a\n\nb", ["a", "b"]), ("a\r\r\n", ["a\r"]),
        ("\u{301}\n", ["\u{301}"]),
        ("a..b\n...\n", ["a..b", "..."]), ("{\"file\":\"a\\nb\"}\n", ["a\nb"]),
        (" {\"file\":\"a\"}\r\n\n{\"file\":\"b\"}", ["a", "b"]),
    ]

    @Test(arguments: readable) func lines(text: String, files: [String]) throws {
        #expect(try BatchManifestTests.files(text) == files)
    }

    private static let wrong: [(String, Int)] = [
        ("a\n../b\n", 2), ("a/../b", 1), ("a/..", 1), ("a\0b\n", 1), ("a\nb/\n", 2), (".\n", 1), ("/\n", 1),
        ("a\n\n./\n", 3),
        ("{}\n", 1), ("{\"file\":1}", 1), ("{\"file\":\"\"}", 1), ("{\"file\":\"a\"}\nb\n", 2),
        ("{\"file\":\"a\"}\n{\"file\":\"b\"", 2),
        ("{\"file\":\"a\",\"cost\":-1}", 1), ("{\"file\":\"a\",\"cost\":1e999}", 1),
        ("{\"file\":\"a\",\"cost\":\"1\"}", 1),
        ("{\"file\":\"a\",\"bytes\":1.5}", 1), ("{\"file\":\"a\",\"bytes\":-1}", 1),
        ("{\"file\":\"a\",\"key\":\"xyz\"}", 1),
        ("{\"file\":\"a\",\"key\":\"\"}", 1), ("{\"file\":\"a\\u0000\"}", 1), ("{\"file\":\"a\",\"file\":\"b\"}", 1),
        ("{\"file\":\"a\"} {\"file\":\"b\"}", 1), ("{\"file\":\"a/../../b\"}", 1), ("\u{FEFF}{", 1), ("a\n/a\n", 2),
        ("{\"file\":\"a\",\"cost\":1}\n{\"file\":\"./a\",\"cost\":2}", 2), ("{\"file\":\"\\ud800\"}", 1), ("{[", 1),
    ]

    @Test(arguments: wrong) func wrongLines(text: String, line: Int) throws {
        let error = #expect(throws: ScrubError.self) { try BatchManifestTests.files(text) }
        #expect(
            error?.code == .badData && error?.place?.description == "line \(line)" && error?.advice != nil,
            "\(error?.description ?? "")")
    }

    @Test func utf16() {
        for bytes: [UInt8] in [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]] {
            #expect(throws: ScrubError.self) { try BatchManifest(bytes) }
        }
    }

    @Test func members() throws {
        let text = #"{"file":"a/./b//c","key":"00FFaa","cost":1.25,"bytes":9223372036854775807,"more":[{}]}"#
        let entry = try #require(try BatchManifest(Array(text.utf8)).entries.first)
        #expect(entry.file == "a/./b//c" && entry.place == "a/b/c" && entry.key == "00ffaa" && entry.cost == 1.25)
        #expect(entry.byteCount == .max && entry.line == 1)
        let null = #"{"file":"a","key":null,"cost":null,"bytes":null}"#
        #expect(try BatchManifest(Array(null.utf8)).entries.first?.cost == nil)
    }

    /// The same name twice counts once; two spellings of a letter are two names.
    @Test func repeats() throws {
        let manifest = try BatchManifest(Array("a\n./a\nb\na\n\u{E9}\ne\u{301}\n".utf8))
        #expect(manifest.entries.map(\.line) == [1, 3, 5, 6] && manifest.repeatedCount == 2)
    }

    /// Names of any bytes go through both forms unharmed.
    @Test func bytes() throws {
        let seed = SplitMix.seed()
        var random = SplitMix(seed)
        for _ in 0..<500 {
            let pieces: [[UInt8]] = [
                [0xE9], [0xFF], [0x0A], [0x22], [0x5C], [0x61], [0xC3, 0xA9], [0xF4, 0x8F, 0xBE, 0x80], [0x7B], [0x0D],
            ]
            var bytes: [UInt8] = []
            for _ in 0...Int(random.next() % 8) { bytes += pieces[Int(random.next() % 10)] }
            bytes.append(0x78)
            let entry = BatchManifest.Entry(file: SystemName.text(bytes), key: "0a", cost: 0.1, byteCount: 7)
            let read = try #require(try BatchManifest(Array((entry.text + "\n").utf8)).entries.first, "seed \(seed)")
            #expect(SystemName.bytes(read.file) == bytes, "seed \(seed)")
            #expect(read.key == "0a" && read.cost == 0.1 && read.byteCount == 7, "seed \(seed)")
            guard !bytes.contains(0x0A), bytes.first != 0x7B else { continue }
            let plain = try #require(try BatchManifest(bytes + [0x0A]).entries.first, "seed \(seed)")
            #expect(SystemName.bytes(plain.file) == bytes, "seed \(seed)")
        }
    }

    /// The output of other programs: bytes that are not valid UTF-8 as they are, and the characters that stand for them
    /// unescaped.
    @Test func rawBytesInObjects() throws {
        let raw = Array("{\"file\":\"caf".utf8) + [0xE9] + Array("\"}".utf8)
        #expect(SystemName.bytes(try #require(try BatchManifest(raw).entries.first).file) == Array("caf".utf8) + [0xE9])
        let unescaped = Array("{\"file\":\"caf\u{10FFE9}\"}".utf8)
        #expect(
            SystemName.bytes(try #require(try BatchManifest(unescaped).entries.first).file) == Array("caf".utf8) + [
                0xE9
            ])
    }

    @Test(arguments: [1, 3, 16, 1000], [true, false])
    func shardsAreAllFilesOnce(count: Int, hasCosts: Bool) throws {
        let lines = (0..<2000).map { number in
            BatchManifest.Entry(file: "films/\(number).mkv", cost: hasCosts ? Double(number % 97) : nil).text
        }
        let manifest = try BatchManifest(Array(lines.joined(separator: "\n").utf8))
        #expect(manifest.isBalanced == hasCosts)
        var lineNumbers: [Int] = []
        for number in 1...count {
            let shard = try #require(Shard(number: number, count: count))
            lineNumbers += manifest.entries(of: shard).map(\.line)
            if count == 1000, number > 40 { break }
        }
        #expect(Set(lineNumbers).count == lineNumbers.count)
        if count < 1000 { #expect(lineNumbers.sorted() == Array(1...2000)) }
        #expect(manifest.entries(of: nil).count == 2000)
    }

    /// Whatever bytes come, nothing traps.
    @Test func anyBytes() {
        var random = SplitMix(18)
        let pieces = [
            "{", "}", "\"file\":", "\"a\"", ",", "\n", "\r", "\0", "..", "/", "\"cost\":", "1e5", "-", "\\u",
            "\u{FEFF}", "[", " ",
        ]
        for _ in 0..<5000 {
            var text = random.isOne(in: 2) ? "{\"file\":" : ""
            for _ in 0..<Int(random.next() % 10) { text += pieces[Int(random.next() % UInt64(pieces.count))] }
            _ = try? BatchManifest(Array(text.utf8))
        }
    }
}
