import Foundation

@testable import ScrubBitstream

/// One video stream of a real file, demultiplexed and decoded by the installed `ffprobe`: the oracle.
///
/// The files are not part of the repository: the tests that use this run only where `SCRUB_CORPUS_HEADERS` names a
/// directory.
struct CorpusStream {
    struct Packet {
        var position: Int?
        var bytes: [UInt8] = []
    }
    struct Frame {
        var position: Int?
        var type = ""
    }

    let codec: VideoCodec
    let extradata: [UInt8]
    /// In decoding order.
    let packets: [Packet]
    /// In presentation order.
    let frames: [Frame]

    /// The files of the corpus; empty without a corpus.
    static let files: [URL] = {
        guard let path = ProcessInfo.processInfo.environment["SCRUB_CORPUS_HEADERS"] else { return [] }
        let found = try? FileManager.default.contentsOfDirectory(
            at: URL(filePath: path), includingPropertiesForKeys: nil)
        return (found ?? []).sorted { $0.path < $1.path }
    }()

    /// Reads at most `limit` packets; `nil` for files without a video stream of a format read here.
    init?(_ file: URL, limit: Int) throws {
        let stream = try CorpusStream.probe(file, ["-show_streams", "-show_data"])
        var name = ""
        var dump: [UInt8] = []
        for line in stream {
            if line.hasPrefix("codec_name=") { name = String(line.dropFirst(11)) }
            CorpusStream.appendDump(line, to: &dump)
        }
        let codecs: [String: VideoCodec] = [
            "h264": .h264, "hevc": .hevc, "av1": .av1, "vp8": .vp8, "vp9": .vp9, "mpeg1video": .mpeg1,
            "mpeg2video": .mpeg2, "mpeg4": .mpeg4,
        ]
        guard let codec = codecs[name] else { return nil }
        self.codec = codec
        extradata = dump

        let interval = ["-read_intervals", "%+#\(limit)"]
        var packets: [Packet] = []
        let lines = try CorpusStream.probe(
            file, interval + ["-show_packets", "-show_data", "-show_entries", "packet=pos,data"])
        for line in lines {
            if line == "[PACKET]" { packets.append(Packet()) }
            guard !packets.isEmpty else { continue }
            if line.hasPrefix("pos=") { packets[packets.count - 1].position = Int(line.dropFirst(4)) }
            CorpusStream.appendDump(line, to: &packets[packets.count - 1].bytes)
        }
        self.packets = packets

        var frames: [Frame] = []
        // Strict compliance makes H.264 output wait as long as the standard says instead of guessing.
        let pictures = try CorpusStream.probe(
            file,
            interval + ["-strict", "strict", "-threads", "1", "-show_entries", "frame=pkt_pos,pict_type"])
        for line in pictures {
            if line == "[FRAME]" { frames.append(Frame()) }
            guard !frames.isEmpty else { continue }
            if line.hasPrefix("pkt_pos=") { frames[frames.count - 1].position = Int(line.dropFirst(8)) }
            if line.hasPrefix("pict_type=") { frames[frames.count - 1].type = String(line.dropFirst(10)) }
        }
        self.frames = frames
    }

    /// Adds the bytes of a line such as `00000010: 8080 0000 0301  ......`.
    private static func appendDump(_ line: Substring, to bytes: inout [UInt8]) {
        let start = line.index(line.startIndex, offsetBy: 10, limitedBy: line.endIndex)
        guard let start, line.dropFirst(8).hasPrefix(": "), line.prefix(8).allSatisfy(\.isHexDigit) else {
            return
        }
        var high: UInt8?
        for character in line[start...].prefix(39).utf8 {
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue else { continue }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
    }

    private static func probe(_ file: URL, _ arguments: [String]) throws -> [Substring] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["ffprobe", "-v", "quiet", "-select_streams", "v:0"] + arguments + [file.path]
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n")
    }
}
