import Foundation
import ScrubTestSupport
import Testing

/// Packets of AV1 and VP9 that show several pictures, and key frames without their sequence header. ffmpeg decodes
/// these files, although they break the rules of their formats.
@Suite struct SharedPacketTests {
    /// An IVF file's header, and its packets.
    private struct IVF {
        let head: [UInt8]
        var packets: [[UInt8]] = []

        init(_ path: String) throws {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            head = Array(bytes.prefix(32))
            var place = 32
            while place + 12 <= bytes.count {
                let size = bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
                place += 12
                packets.append(Array(bytes[place..<min(bytes.count, place + size)]))
                place += size
            }
        }

        var bytes: [UInt8] {
            var bytes = head
            for (number, packet) in packets.enumerated() {
                for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(packet.count >> shift & 0xFF)) }
                for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(number >> shift & 0xFF)) }
                bytes += packet
            }
            return bytes
        }
    }

    /// 25 pictures in packets of their own, a key frame each eight.
    private func makeStream(_ codec: String, in folder: TemporaryFolder) throws -> IVF {
        let path = folder.path(of: "plain.ivf")
        let coding =
            codec == "vp9"
            ? ["-c:v", "libvpx-vp9", "-auto-alt-ref", "0", "-deadline", "realtime"]
            : ["-c:v", "libaom-av1", "-usage", "realtime"]
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=1"] + coding
                + ["-cpu-used", "8", "-lag-in-frames", "0", "-g", "8", path])
        let stream = try IVF(path)
        try #require(stream.packets.count == 25)
        return stream
    }

    /// Puts two packets into one: temporal units one behind the other, or a superframe.
    private func join(_ first: [UInt8], _ second: [UInt8], _ codec: String) -> [UInt8] {
        guard codec == "vp9" else { return first + second }
        let sizes = [first, second].flatMap { [UInt8($0.count & 0xFF), UInt8($0.count >> 8)] }
        return first + second + [0xC9] + sizes + [0xC9]
    }

    private func write(_ stream: IVF, in folder: TemporaryFolder) throws -> [String] {
        let raw = try folder.write(stream.bytes, to: "made.ivf")
        return try [raw]
            + ["mkv", "mp4"].map { container in
                let path = folder.path(of: "made." + container)
                try LinearLines.ffmpeg(["-i", raw, "-c", "copy", path])
                return path
            }
    }

    /// From the first such packet on no number is ffmpeg's. The twelfth is behind those that are looked at in a
    /// container with tables.
    @Test(arguments: ["vp9", "av1"], [6, 12, 25]) func twoPicturesInAPacket(codec: String, first: Int) throws {
        let folder = try TemporaryFolder()
        var stream = try makeStream(codec, in: folder)
        let plain = stream.packets
        stream.packets.removeSubrange(first...)
        for number in stride(from: first, to: plain.count - 1, by: 2) {
            stream.packets.append(join(plain[number], plain[number + 1], codec))
        }
        for path in try write(stream, in: folder) {
            #expect(try LinearLines.exactFrames(of: path) == Array(0..<first), "\(path)")
        }
    }

    /// One such packet moves all numbers behind it, in every later group.
    @Test(arguments: ["vp9", "av1"]) func onePacketOfTwoPictures(codec: String) throws {
        let folder = try TemporaryFolder()
        var stream = try makeStream(codec, in: folder)
        for number in [12, 5] {
            let second = stream.packets.remove(at: number + 1)
            stream.packets[number] = join(stream.packets[number], second, codec)
            let raw = try folder.write(stream.bytes, to: "one.ivf")
            #expect(try LinearLines.exactFrames(of: raw) == Array(0..<number))
        }
        // With tables the fifth is looked at.
        for path in try write(stream, in: folder) {
            #expect(try LinearLines.exactFrames(of: path) == Array(0..<5), "\(path)")
        }
    }

    /// Decoders get no sequence header but those in packets.
    @Test func sequenceHeadersInTheFirstPacketOnly() throws {
        let folder = try TemporaryFolder()
        var stream = try makeStream("av1", in: folder)
        let bare = folder.path(of: "bare.ivf")
        try LinearLines.ffmpeg([
            "-i", folder.path(of: "plain.ivf"), "-c", "copy", "-bsf:v", "filter_units=remove_types=1", bare,
        ])
        stream.packets.replaceSubrange(1..., with: try IVF(bare).packets.dropFirst())
        for path in try write(stream, in: folder) {
            #expect(try LinearLines.exactFrames(of: path) == Array(0..<25), "\(path)")
        }
    }

    /// Frames of a layer outside operating point 0 do not count: decoders leave them out (AV1 5.3.1), and ffmpeg has
    /// no line for them.
    @Test func layersThatAreLeftOut() throws {
        let folder = try TemporaryFolder()
        var stream = try makeStream("av1", in: folder)
        for number in stream.packets.indices {
            stream.packets[number] = try layered(stream.packets[number], temporal: number % 8 == 7 ? 1 : 0)
        }
        for path in try write(stream, in: folder) {
            #expect(try LinearLines.all(of: path).count == 22)
            #expect(try LinearLines.exactFrames(of: path) == Array(0..<22), "\(path)")
        }
    }

    /// Gives a packet's frames a temporal layer, and a sequence header an operating point of the first one alone.
    private func layered(_ packet: [UInt8], temporal: UInt8) throws -> [UInt8] {
        var (made, place): ([UInt8], Int) = ([], 0)
        while place < packet.count {
            // obu_header without an extension and with a size (5.3.2), then the size (4.10.5).
            let header = packet[place]
            try #require(header & 0b110 == 0b010)
            var (size, length) = (0, 0)
            repeat {
                size |= Int(packet[place + 1 + length] & 0x7F) << (7 * length)
                length += 1
            } while packet[place + length] & 0x80 != 0
            let start = place + 1 + length
            var payload = Array(packet[start..<start + size])
            let kind = header >> 3 & 15
            if kind == 1 {
                // Three bits of profile, four flags that are 0 and five of a count that is 0: operating_point_idc[0]
                // has the next twelve.
                try #require(payload[0] & 0x1F == 0 && payload[1] == 0 && payload[2] == 0)
                (payload[1], payload[2]) = (0x1, 0x01)
            }
            let hasLayer = kind == 3 || kind == 6
            made.append(hasLayer ? header | 0b100 : header)
            if hasLayer { made.append(temporal << 5) }
            made += packet[place + 1..<start] + payload
            place = start + size
        }
        return made
    }
}
