import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Recordings that lose parts, or get them twice or in another order without a decoder's word. No frame is called exact
/// that a linear decode of the same file does not make.
@Suite struct LostPartsTests {
    struct Loss: Sendable, CustomTestStringConvertible {
        let clip: String
        let testDescription: String
        /// Whether each frame has the number of its line in the linear decode.
        var keepsNumbers = true
        let damage: @Sendable ([UInt8]) throws -> [UInt8]
    }

    /// The video chunks of an AVI: where each begins, and its bytes without the head.
    private static func chunks(of bytes: [UInt8]) throws -> [(start: Int, count: Int)] {
        let list = try #require(bytes.indices.dropLast(8).first { Array(bytes[$0..<$0 + 4]) == Array("movi".utf8) })
        var found: [(Int, Int)] = []
        var place = list + 4
        while place + 8 <= bytes.count, Array(bytes[place..<place + 4]) == Array("00dc".utf8) {
            let count = (0..<4).reduce(0) { $0 | Int(bytes[place + 4 + $1]) << (8 * $1) }
            found.append((place, count))
            place += 8 + count + count % 2
        }
        return found
    }

    /// An AVI without one of its chunks, which becomes junk.
    private static func voiding(_ number: Int, of bytes: [UInt8]) throws -> [UInt8] {
        var bytes = bytes
        let start = try chunks(of: bytes)[number].start
        bytes.replaceSubrange(start..<start + 4, with: Array("JUNK".utf8))
        return bytes
    }

    /// An MPEG-2 stream with a slice of one picture below the last row.
    private static func sinking(_ slice: Int, ofPicture number: Int, of bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let codes = bytes.indices.dropLast(4).filter { Array(bytes[$0..<$0 + 3]) == [0, 0, 1] }
        let pictures = codes.filter { bytes[$0 + 3] == 0 }
        let slices = codes.filter { $0 > pictures[number] && (1...0xAF).contains(bytes[$0 + 3]) }
        bytes[slices[slice] + 3] = 0x60
        return bytes
    }

    static let losses: [Loss] = [
        // The decoder fills the gap in frame_num with copies of it, and the pictures behind the open restart are
        // predicted from them.
        Loss(
            clip: "h264-starts-open.h264", testDescription: "a P picture again in a later open group",
            keepsNumbers: false
        ) {
            Array($0[..<9343]) + Array($0[5366..<5957]) + Array($0[9343...])
        },
        // A B picture waits in the decoder, and takes the place of the P picture that comes next.
        Loss(clip: "mpeg4-packed.avi", testDescription: "a plane that is not coded is lost") {
            try voiding(12, of: $0)
        },
        Loss(clip: "mpeg4-packed.avi", testDescription: "another one") { try voiding(9, of: $0) },
        Loss(clip: "mpeg4-packed.avi", testDescription: "a packet of two planes twice") { bytes in
            let chunk = try chunks(of: bytes)[10]
            let end = chunk.start + 8 + chunk.count + chunk.count % 2
            return Array(bytes[..<end]) + Array(bytes[chunk.start...])
        },
        // The picture before it waits to be shown, and the decoder gives up before it hands it out.
        Loss(clip: "mpeg2-raw.m2v", testDescription: "a slice of a P picture below the picture") {
            sinking(3, ofPicture: 4, of: $0)
        },
        Loss(clip: "mpeg2-raw.m2v", testDescription: "a slice of a key picture below the picture") {
            sinking(3, ofPicture: 10, of: $0)
        },
        Loss(clip: "mpeg2-raw.m2v", testDescription: "a slice of a B picture below the picture") {
            sinking(3, ofPicture: 5, of: $0)
        },
        Loss(clip: "mpeg1.m1v", testDescription: "MPEG-1: the first slice of a P picture below the picture") {
            sinking(0, ofPicture: 4, of: $0)
        },
    ]

    @Test(arguments: losses) func lostPartsAreNotExact(_ loss: Loss) throws {
        let sound = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + loss.clip)))
        let folder = try TemporaryFolder()
        let path = try folder.write(try loss.damage(sound), to: loss.clip)
        try compare(path, keepsNumbers: loss.keepsNumbers)
    }

    /// Compares all frames, alone and together, with ffmpeg's decode.
    private func compare(_ path: String, keepsNumbers: Bool) throws {
        let lines = try Corpus.linearDecode(path, stream: 0)
        let linear = Set(lines)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var exact = 0
        var together: [Int: Verdict] = [:]
        var reader = FrameReader(asset)
        try reader.frames(numbered: Set(asset.frames.indices)) { (answer) throws(ScrubError) in
            let number = answer.frame.number
            together[number] = answer.verdict
            guard answer.verdict == .exact else { return }
            exact += 1
            let hash = try answer.picture?.streamMD5() ?? ""
            #expect(linear.contains(hash), "#\(number)")
            if keepsNumbers { #expect(lines.indices.contains(number) && lines[number] == hash, "number \(number)") }
        }
        #expect(exact > 0)
        if keepsNumbers { #expect(asset.frames.count == lines.count) }
        for number in asset.frames.indices where number % 5 == 0 || together[number] != .exact {
            var alone = FrameReader(asset)
            #expect(try alone.frame(at: .frame(number)).verdict == together[number], "#\(number) alone")
        }
    }

    // MARK: APNG

    /// One frame of an APNG.
    struct Part: Sendable {
        var (x, y, width, height) = (0, 0, 32, 24)
        var disposal: UInt8 = 0
        var isOver = false
        /// Rows, each with its filter in front.
        var rows: [UInt8] = []
    }

    struct Animation: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The number of frames before the first that cannot be exact; `nil` if all are.
        let soundCount: Int?
        let change: @Sendable (inout [Part]) -> Void
    }

    private static func number(_ value: Int, _ width: Int = 4) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * (width - 1 - $0))) }
    }

    private static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(name.utf8) + data
        var sum = UInt32.max
        for byte in body {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return number(data.count) + body + number(Int(~sum))
    }

    /// Bytes as zlib has them that it could not compress (RFC 1950, RFC 1951 3.2.4).
    private static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var (a, b) = (1, 0)
        for byte in bytes {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        let (low, high) = (UInt8(bytes.count & 255), UInt8(bytes.count >> 8))
        return [0x78, 1, 1, low, high, ~low, ~high] + bytes + number(b << 16 | a)
    }

    private static func animation(_ parts: [Part]) -> [UInt8] {
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]
        bytes +=
            chunk("IHDR", number(32) + number(24) + [8, 6, 0, 0, 0]) + chunk("acTL", number(parts.count) + number(0))
        var sequence = 0
        for part in parts {
            let place = number(part.width) + number(part.height) + number(part.x) + number(part.y)
            bytes += chunk(
                "fcTL", number(sequence) + place + number(1, 2) + number(10, 2) + [part.disposal, part.isOver ? 1 : 0])
            sequence += 1
            if bytes.count < 200 {
                bytes += chunk("IDAT", stored(part.rows))
            } else {
                bytes += chunk("fdAT", number(sequence) + stored(part.rows))
                sequence += 1
            }
        }
        return bytes + chunk("IEND", [])
    }

    /// Eight frames with all operations, of which some are half transparent.
    private static var parts: [Part] {
        (0..<8).map { number in
            var part = Part()
            if number > 0 { (part.x, part.y, part.width, part.height) = (number, 2, 20 - number, 16) }
            (part.disposal, part.isOver) = (UInt8(number % 3), number % 2 == 1)
            for row in 0..<part.height {
                part.rows.append(0)
                for column in 0..<4 * part.width {
                    let value = UInt8(truncatingIfNeeded: 37 * row + 11 * column + 53 * number)
                    part.rows.append(column % 4 == 3 ? [0, 90, 255, 255][(row + column / 4) % 4] : value)
                }
            }
            return part
        }
    }

    static let animations: [Animation] = [
        Animation(testDescription: "sound", soundCount: nil) { _ in },
        Animation(testDescription: "data of a blended frame ends early", soundCount: 3) {
            $0[3].rows.removeLast(6 * (1 + 4 * $0[3].width))
        },
        Animation(testDescription: "data of a frame that replaces ends early", soundCount: 4) {
            $0[4].rows.removeLast(1 + 4 * $0[4].width)
        },
        Animation(testDescription: "rows of a blended frame have filters that there are not", soundCount: 5) { parts in
            for row in [3, 9] { parts[5].rows[row * (1 + 4 * parts[5].width)] = 9 }
        },
        Animation(testDescription: "a rectangle with other rows", soundCount: nil) { $0[5].x = 2 },
        Animation(testDescription: "data that goes on", soundCount: nil) { $0[3].rows += [0, 1, 2, 3] },
        Animation(testDescription: "other operations", soundCount: nil) {
            ($0[2].disposal, $0[4].isOver, $0[5].disposal) = (2, true, 1)
        },
    ]

    @Test(arguments: animations) func framesThatAreNotWholeAreNotExact(_ animation: Animation) throws {
        var parts = Self.parts
        animation.change(&parts)
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.animation(parts), to: "a.apng")
        try compare(path, keepsNumbers: true)
        var reader = FrameReader(try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none)))
        for number in 0..<8 {
            let isExact = try reader.frame(at: .frame(number)).verdict == .exact
            #expect(isExact == animation.soundCount.map { number < $0 } ?? true, "#\(number)")
        }
    }

    // MARK: Lengths in transport streams

    @Test(arguments: ["h264-bf3.ts", "h264-open-gop.ts", "mpeg2-open.ts"], [-40, 40])
    func aLengthThatDoesNotFitIsNotDamage(clip: String, error: Int) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + clip)))
        func payload(_ packet: Int) -> Int {
            packet + 4 + (bytes[packet + 3] & 0x20 != 0 ? 1 + Int(bytes[packet + 4]) : 0)
        }
        let packets = stride(from: 0, to: bytes.count - 187, by: 188).filter {
            Int(bytes[$0 + 1] & 0x1F) << 8 | Int(bytes[$0 + 2]) == 0x100
        }
        let starts = packets.filter { bytes[$0 + 1] & 0x40 != 0 }
        for number in stride(from: 5, to: starts.count - 6, by: 7) {
            let own = packets.filter { $0 >= starts[number] && $0 < starts[number + 1] && bytes[$0 + 3] & 0x10 != 0 }
            let length = own.reduce(-6) { $0 + $1 + 188 - payload($1) } + error
            guard (1..<65_536).contains(length) else { continue }
            bytes.replaceSubrange(
                payload(starts[number]) + 4..<payload(starts[number]) + 6, with: Self.number(length, 2))
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: clip)
        let lines = try Corpus.linearDecode(path, stream: 0)
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var reader = FrameReader(asset)
        var damaged = 0
        for number in asset.frames.indices {
            let answer = try reader.frame(at: .frame(number))
            if answer.verdict == .exact {
                #expect(try answer.picture?.streamMD5() == lines[number], "#\(number)")
            } else {
                damaged += 1
            }
        }
        // If H.264 ends earlier than it says, libavformat cuts one picture in two.
        #expect(damaged <= (error < 0 ? 2 : 0), "\(damaged) of \(lines.count)")
    }

    /// A packet that is lost is one still, whatever the lengths say: also where a whole picture is, and nothing else
    /// tells.
    @Test func aPacketThatIsLostIsDamage() throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/mpeg2-open.ts")))
        let packets = stride(from: 0, to: bytes.count - 187, by: 188).filter {
            Int(bytes[$0 + 1] & 0x1F) << 8 | Int(bytes[$0 + 2]) == 0x100 && bytes[$0 + 1] & 0x40 == 0
        }
        bytes.removeSubrange(packets[packets.count / 2]..<packets[packets.count / 2] + 188)
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "lost.ts")
        let asset = try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
        var reader = FrameReader(asset)
        let verdicts = try asset.frames.indices.map { try reader.frame(at: .frame($0)).verdict }
        #expect(verdicts.contains { $0.name == "damaged" })
        let whole = try VideoAsset(
            path: Clip.folder + "/clips/ts-lost.ts", options: VideoAsset.OpenOptions(cache: .none))
        reader = FrameReader(whole)
        let others = try whole.frames.indices.map { try reader.frame(at: .frame($0)).verdict }
        #expect(others.count { $0.name == "damaged" } == 21)
    }
}
