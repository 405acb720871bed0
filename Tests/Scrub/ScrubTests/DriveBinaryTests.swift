import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub drive --binary`: docs/drive.md's records, byte by byte.
@Suite struct DriveBinaryTests {
    /// A record as docs/drive.md lays it out.
    struct Record {
        let kind, status, width, height: Int
        let request, item, frame, time, place, systemError: Int
        let format, text: String
        let planes: [(bytesPerRow: Int, rows: Int)]
        let picture: Data

        /// `nil` at the end.
        init?(_ source: inout Data) throws {
            guard !source.isEmpty else { return nil }
            try #require(source.count >= 160 && source.prefix(4) == Data("SCR1".utf8))
            let head = [UInt8](source.prefix(160))
            func number(_ at: Int, _ count: Int) -> Int {
                (0..<count).reduce(0) { $0 | Int(head[at + $1]) << (8 * $1) }
            }
            (kind, request, item, frame) = (number(4, 4), number(8, 8), number(16, 8), number(24, 8))
            (time, status) = (number(32, 8), number(56, 4))
            (width, height, place) = (number(64, 4), number(68, 4), number(144, 8))
            systemError = number(152, 8)
            format = String(decoding: head[72..<96].prefix { $0 != 0 }, as: UTF8.self)
            planes = (0..<number(60, 4)).map { (number(96 + 8 * $0, 4), number(100 + 8 * $0, 4)) }
            let (words, bytes) = (number(128, 8), number(136, 8))
            let size = 160 + words + (place < 0 ? bytes : 0)
            try #require(source.count >= size)
            text = String(decoding: source.dropFirst(160).prefix(words), as: UTF8.self)
            picture = Data(source.dropFirst(160 + words).prefix(size - 160 - words))
            source = Data(source.dropFirst(size))
        }
    }

    private func clip(_ name: String) -> String { Clip.folder + "/clips/" + name }

    /// All answers to some input, the hello first.
    private func ask(
        _ file: String, _ input: String, _ arguments: String..., status: Int32 = 0
    ) throws -> [Record] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [CommandTests.program, "drive", "--binary", "--no-cache"] + arguments + [file]
        let (requests, answers) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (requests, answers)
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The program may have gone before it read everything, and then no one reads.
        signal(SIGPIPE, SIG_IGN)
        try? requests.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try requests.fileHandleForWriting.close()
        var rest = answers.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == status)
        var records: [Record] = []
        while let record = try Record(&rest) { records.append(record) }
        return records
    }

    private func md5(_ bytes: Data) throws -> String {
        let folder = try TemporaryFolder()
        try bytes.write(to: URL(filePath: folder.path + "/x"))
        return String(try Tool.run("md5sum", [folder.path + "/x"]).output.prefix(32))
    }

    /// Every frame's own samples, in a row and anywhere, are ffmpeg's.
    @Test(arguments: ["h264-bf3.mp4", "hevc-open-gop.mp4", "av1-svt.mp4", "h264-422-10.mp4"])
    func nativePicturesAreTheStreamsOwn(_ name: String) throws {
        let known = try #require(Clip.all.first { $0.file == name })
        let hashes = try known.expectedHashes()
        let some = [17, 3, 40, 3, hashes.count - 1].filter { $0 < hashes.count }
        let records = try ask(
            known.path, "READ first \(min(20, hashes.count))\nGET \(some.map { "f\($0)" }.joined(separator: " "))\n",
            "--format", "native")
        let hello = try #require(records.first)
        #expect(hello.kind == 0 && hello.frame == hashes.count && hello.format == records[1].format)
        #expect(hello.width == records[1].width && hello.planes.count == 3)
        for (item, record) in records.dropFirst().prefix(20).enumerated() {
            #expect(record.kind == 1 && record.request == 0 && record.item == item && record.frame == item)
            #expect(record.status == 0 && record.text == "" && record.place == -1)
            #expect(try md5(record.picture) == hashes[item])
        }
        let batch = records.dropFirst(21)
        #expect(batch.map(\.item).sorted() == Array(some.indices))
        for record in batch {
            #expect(record.request == 1 && record.frame == some[record.item])
            #expect(try md5(record.picture) == hashes[record.frame])
        }
    }

    /// RGB has the pixels of the same frame's PNG: plain, deep, turned, squared, cut, gray, transparent, full range.
    @Test(arguments: Clip.all.filter { $0.kind == .good && $0.stream == 0 && DriveBinaryTests.hasLook($0) })
    func rgbIsThePNGs(_ clip: Clip) throws {
        let folder = try TemporaryFolder()
        let png = folder.path + "/p.png"
        let seek = try Tool.run(
            CommandTests.program, ["seek", "--no-cache", "--keep-hdr", clip.path, "f1", "-o", png], environment: [:])
        guard seek.status == 0 else { return }
        let record = try #require(try ask(clip.path, "GET f1\n").last)
        let format = try Tool.run(
            "ffprobe", ["-v", "error", "-show_entries", "stream=width,height,pix_fmt", "-of", "csv=p=0", png]
        ).output.trimmingCharacters(in: .whitespacesAndNewlines).split(separator: ",").map(String.init)
        #expect(record.kind == 1 && format.prefix(2) == ["\(record.width)", "\(record.height)"])
        // Without conversion, so that nothing but our own pixels is compared.
        let raw = folder.path + "/p.raw"
        _ = try Tool.run("ffmpeg", ["-v", "error", "-i", png, "-f", "rawvideo", "-c:v", "rawvideo", raw])
        let bytes = try Data(contentsOf: URL(filePath: raw))
        switch format[2] {
        case "rgb24": #expect(record.picture == bytes)
        case "gray": #expect(record.picture == Data(bytes.flatMap { [$0, $0, $0] }))
        case "rgb48be":
            let codes = stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) * 256 + Int(bytes[$0 + 1]) }
            let reduced: [UInt8] = codes.map { UInt8(($0 + 128) / 257) }
            #expect(record.picture == Data(reduced))
        default: #expect(record.picture.count == record.width * record.height * 3)
        }
    }

    /// Whether a clip is there for its colors, its format or its geometry.
    private static func hasLook(_ clip: Clip) -> Bool {
        let looks = [
            "colour-709", "colour-601-525", "colour-hlg", "h264-odd", "h264-sar", "h264-gray", "h264-rgb", "h264-444",
            "h264-high10", "h264-422", "ffv1-", "rot", "clap", "anim.gif", "h264-mbaff.mp4", "h264-full",
        ]
        return looks.contains { clip.file.hasPrefix($0) }
    }

    /// What cannot be opened is said in the hello's place, with the system's number for it.
    @Test(arguments: [("/nonexistent.mp4", Int32(66), 2), ("/", 66, 21), ("/dev/null", 66, 0)])
    func whatCannotBeOpened(_ file: String, _ status: Int32, _ number: Int) throws {
        let records = try ask(file, "GET f1\n", status: status)
        #expect(records.map(\.kind) == [2] && records.map(\.status) == [Int(status)])
        #expect(records.first?.systemError == number && records.first?.text.hasPrefix(file) == true)
    }

    /// Whatever is wrong is said with the request's number, and with the picture's where it is one picture's matter.
    @Test func errorsHaveTheirRequestsNumber() throws {
        let lines = [
            "GET f1", "", "GET", "get f1", "GET f1 f99999 f2 nonsense", "GET f100", "READ f90 11", "READ f90 0",
            "READ f90 9223372036854775807", "READ f0 -1", "GET f1@0", "GET f1@-1", "GET f1@99999999999999999999",
            "GET \u{0}", "READ f98 2", "SEEK 1", "QUIT now", "GET 50% last 1s",
        ]
        let records = try ask(clip("h264-bf3.mp4"), lines.joined(separator: "\n") + "\nQUIT\nGET f1\n")
        func answers(_ request: Int) -> [Record] {
            records.dropFirst().filter { $0.request == request }.sorted { $0.item < $1.item }
        }
        #expect(answers(0).map(\.kind) == [1])
        for request in [1, 2, 3, 6, 7, 8, 9, 15, 16] {
            #expect(answers(request).map(\.item) == [-1], "\(lines[request])")
            #expect(answers(request).allSatisfy { $0.kind == 2 && $0.status == 64 && !$0.text.isEmpty })
        }
        #expect(answers(4).map(\.kind) == [1, 2, 1, 2] && answers(4).map(\.frame) == [1, -1, 2, -1])
        for request in [5, 10, 11, 12, 13] {
            #expect(answers(request).map(\.item) == [0], "\(lines[request])")
            #expect(answers(request).allSatisfy { $0.kind == 2 && $0.status == 64 })
        }
        #expect(answers(14).map(\.frame) == [98, 99])
        #expect(answers(17).map(\.frame) == [50, 99, 25])
        // Nothing after QUIT, and an answer for every line before.
        #expect(Set(records.dropFirst().map(\.request)) == Set(lines.indices))
    }

    /// Times come without pictures, and are those that ffmpeg's linear decode has.
    @Test func timesAreTheContainers() throws {
        let known = try #require(Clip.all.first { $0.file == "ntsc.mp4" })
        let lines = try String(contentsOfFile: Clip.folder + "/expected/ntsc.mp4.framehash", encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { line in
                line.split(separator: ",").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
            }
        let last = known.frames - 1
        let records = try ask(
            known.path,
            "TIMES first \(known.frames)\nTIMES last 1\nTIMES last 2\nTIMES f0 0\nTIMES 3x 1\nTIMES f0 70000\n")
        #expect(records.map(\.kind) == [0, 3, 3, 2, 2, 2, 2])
        #expect(records.suffix(4).allSatisfy { $0.status == 64 && $0.item == -1 })
        let (all, one) = (records[1], records[2])
        #expect(all.frame == 0 && one.frame == last && all.item == 0 && all.request == 0 && one.request == 1)
        #expect(all.planes.map(\.0) == [32] && all.planes.map(\.1) == [known.frames])
        let numbers = all.picture.withUnsafeBytes { bytes in
            (0..<bytes.count / 8).map {
                Int(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * $0, as: Int64.self)))
            }
        }
        let rows = (0..<known.frames).map { Array(numbers[4 * $0..<4 * $0 + 4]) }
        #expect(rows.map { $0[0] } == lines.map { $0[2] })
        #expect(rows.map { $0[1] } == lines.map { $0[2] - lines[0][2] })
        // A frame is shown until the next one.
        #expect(zip(rows, rows.dropFirst()).allSatisfy { $0[1] + $0[2] == $1[1] } && rows[last][2] > 0)
        #expect(one.picture == all.picture.suffix(32) && one.time == rows[last][0])
        #expect(rows[0][3] == 1 && rows.allSatisfy { (0...1).contains($0[3]) })
        let keys = try Tool.run(
            CommandTests.program, ["frames", "--no-cache", "--json", known.path], environment: [:]
        ).output.split(separator: "\n").map { $0.contains("\"keyframe\":true") ? 1 : 0 }
        #expect(rows.map { $0[3] } == keys)
    }

    /// Other channels and sizes are those of the same frame's other files.
    @Test(arguments: [("rgba", 4), ("bgra", 4), ("gray", 1), ("rgb48", 6), ("rgba64", 8)])
    func otherPixels(_ format: String, _ bytes: Int) throws {
        let file = clip("h264-bf3.mp4")
        let plain = try #require(try ask(file, "GET f3\n").last)
        let other = try #require(try ask(file, "GET f3\n", "--format", format).last)
        #expect(other.format == format && other.planes.map(\.bytesPerRow) == [192 * bytes])
        #expect(other.picture.count == 192 * 112 * bytes)
        let (rgb, these) = ([UInt8](plain.picture), [UInt8](other.picture))
        for pixel in [0, 777, 192 * 112 - 1] {
            let three = Array(rgb[pixel * 3..<pixel * 3 + 3])
            let one = Array(these[pixel * bytes..<(pixel + 1) * bytes])
            switch format {
            case "rgba": #expect(one == three + [255])
            case "bgra": #expect(one == three.reversed() + [255])
            case "gray": #expect(abs(Int(one[0]) - (Int(three[0]) + Int(three[1]) + Int(three[2])) / 3) < 128)
            default:
                // Those of 16 bits are calculated with more of them: near 257 times the ones of 8.
                for channel in 0..<3 {
                    let deep = Int(one[channel * 2]) | Int(one[channel * 2 + 1]) << 8
                    #expect(abs(deep - Int(three[channel]) * 257) <= 257)
                }
            }
        }
        let sizes = [("96", "56", [96, 56]), ("50", "7", [50, 7])]
        for (width, height, size) in sizes {
            let small = try #require(
                try ask(file, "GET f3\n", "--format", format, "--width", width, "--height", height).last)
            #expect([small.width, small.height] == size && small.picture.count == size[0] * size[1] * bytes)
        }
        // The other side follows from the shape.
        let wide = try #require(try ask(file, "GET f3\n", "--format", format, "--width", "96").last)
        let high = try #require(try ask(file, "GET f3\n", "--format", format, "--height", "28").last)
        let sides: [Int] = [wide.width, wide.height, high.width, high.height]
        #expect(sides == [96, 56, 48, 28])
    }

    /// The object of `scrub info --json`, in the midst of other requests.
    @Test func factsAreThoseOfInfo() throws {
        let file = clip("ntsc.mp4")
        let records = try ask(file, "GET f1\nINFO\nINFO now\nGET f2\n")
        #expect(records.map(\.kind) == [0, 1, 4, 2, 1] && records.map(\.request) == [0, 0, 1, 2, 3])
        let info = try Tool.run(CommandTests.program, ["info", "--no-cache", "--json", file])
        let objects = try [records[2].text, info.output].map { text in
            try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
        }
        #expect(objects[0] == objects[1] && records[2].item == 0 && records[2].picture.isEmpty)
    }

    /// Transparency that the container keeps beside the stream is laid on black, as `scrub seek` does.
    @Test func transparencyBesideTheStreamLiesOnBlack() throws {
        let file = clip("vp9-alpha.webm")
        let folder = try TemporaryFolder()
        let path = folder.path + "/f3.rgb"
        let made = try Tool.run(
            CommandTests.program, ["seek", "--no-cache", "--keep-hdr", file, "f3", "-o", path], environment: [:])
        try #require(made.status == 0)
        let records = try ask(file, "GET f3\n")
        #expect(records.last?.picture == (try Data(contentsOf: URL(filePath: path))))
    }

    /// A line without an end is refused when it has more bytes than any request, in both protocols.
    @Test func aLineWithoutAnEndIsRefused() throws {
        let flood = String(repeating: "GET f1 ", count: 100_000)
        let records = try ask(clip("h264-bf3.mp4"), "GET f1\n" + flood, status: 64)
        #expect(records.map(\.kind) == [0, 1, 2] && records.last?.status == 64 && records.last?.request == 1)
        let folder = try TemporaryFolder()
        try Data(flood.utf8).write(to: URL(filePath: folder.path + "/flood"))
        let text = try Tool.run(
            "sh",
            [
                "-c", "exec \"$0\" drive --no-cache \"$1\" <\"$2\"", CommandTests.program, clip("h264-bf3.mp4"),
                folder.path + "/flood",
            ])
        #expect(text.status == 64 && text.output.split(separator: "\n").last?.hasPrefix("ERROR 0 ") == true)
        // Just as long as a line may be: an answer, and no end.
        let long = String(repeating: " ", count: 65536 - 6) + "GET f1"
        #expect(try ask(clip("h264-bf3.mp4"), long + "\n" + " " + long + "\n", status: 64).map(\.kind) == [0, 1, 2])
    }

    @Test(arguments: [
        ["--memory", "0"], ["--memory", "77"], ["--memory", "99999999999"], ["--format", "rgb"], ["--width", "0"],
        ["--height", "16385"], ["--format", "native", "--width", "64"],
    ])
    func invalidMemoryAndFormatsAreRefused(_ arguments: [String]) throws {
        let result = try Tool.run(
            CommandTests.program, ["drive", "--binary", clip("h264-bf3.mp4")] + arguments, environment: [:])
        #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty)
        let lone = try Tool.run(
            CommandTests.program, ["drive", clip("h264-bf3.mp4"), "--format", "native"], environment: [:])
        #expect(lone.status == 64)
    }

    /// The pictures of a damaged file say so, each with its reason.
    @Test func damageIsSaid() throws {
        let damaged = try #require(Clip.all.first { $0.file == "damaged-h264.mp4" })
        let records = try ask(damaged.path, "READ first \(damaged.frames)\n").dropFirst()
        #expect(records.count == damaged.frames)
        #expect(records.contains { $0.status != 0 && !$0.text.isEmpty })
    }

    /// Pictures in shared memory, by the Python package: the same bytes as through the pipe. python/tests has the rest.
    @Test(.enabled(if: DriveBinaryTests.hasNumPy, "python3-numpy is not there")) func pythonGetsTheSameArrays() throws {
        let script = """
            import hashlib, sys, scrub
            md5 = lambda array: hashlib.md5(array.tobytes()).hexdigest()
            with scrub.open(sys.argv[1], threads=2, program=sys.argv[2], cache=False) as video:
                row = [md5(frame.array) for frame in video.read(5, 25)]
                assert row == [md5(array) for array in video.batch(range(5, 25))]
                print(len(video), *row)
                # A place that is not in the memory.
                from scrub._memory import Buffer
                from scrub._transport import Item
                session = video._sessions.get(video._pixels)
                pending = session.get([Item("f1", Buffer(None, 1 << 40)), Item("f2")])
                session.wait(pending)
                assert pending.answers[0].status == 64 and pending.answers[1].frame == 2
            """
        let folder = URL(filePath: Clip.folder).deletingLastPathComponent().appending(path: "python/src").path
        let file = clip("h264-bf3.mp4")
        let result = try Tool.run(
            "python3", ["-W", "error", "-c", script, file, CommandTests.program],
            environment: ["PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"])
        #expect(result.status == 0, "\(result.errors)")
        let words = result.output.split(separator: " ").map { $0.trimmingCharacters(in: .newlines) }
        let hashes = try ask(file, "READ f5 20\n").dropFirst().map { try md5($0.picture) }
        #expect(words == ["100"] + hashes)
    }

    static let hasNumPy = (try? Tool.run("python3", ["-c", "import numpy"]).status) == 0
}
