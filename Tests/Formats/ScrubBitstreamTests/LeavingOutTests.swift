import Foundation
import ScrubTestSupport
import Testing

@testable import ScrubBitstream

/// Decodes real streams with and without the pictures that the parser calls unused. Every picture that is left must
/// come out the same to the last sample.
@Suite(.enabled(if: !CorpusStream.files.isEmpty), .serialized)
struct LeavingOutTests {
    @Test(arguments: CorpusStream.files)
    func restStaysExact(file: URL) throws {
        guard let stream = try CorpusStream(file, limit: 150), let format = format(of: stream.codec) else {
            return
        }
        var parser = PictureParser(codec: stream.codec, extradata: stream.extradata)
        // Fields in packets of their own stay or go together.
        var frames: [(bytes: [UInt8], isReference: Bool, isUnderstood: Bool)] = []
        for packet in stream.packets {
            let picture = parser.parse(packet.bytes.span)
            // Before the first restart a decoder makes up what is missing, one way or another.
            if frames.isEmpty, picture.randomAccess == .none || picture.randomAccess == .inexact { continue }
            let bytes = elementary(packet.bytes, of: stream)
            if picture.isSecondField, let last = frames.last {
                let isReference = last.isReference || picture.isReference
                frames[frames.count - 1] = (last.bytes + bytes, isReference, picture.isUnderstood)
            } else {
                frames.append((bytes, picture.isReference, picture.isUnderstood))
            }
        }
        let kept = frames.filter(\.isReference)
        guard kept.count < frames.count, frames.allSatisfy(\.isUnderstood) else { return }
        let sets = configuration(of: stream)
        let all = try hashes(sets + frames.flatMap(\.bytes), format: format)
        let rest = try hashes(sets + kept.flatMap(\.bytes), format: format)
        var position = 0
        let isSame = rest.allSatisfy { hash in
            guard let found = all[position...].firstIndex(of: hash) else { return false }
            position = found + 1
            return true
        }
        print(
            file.lastPathComponent, "frames", frames.count, "left", kept.count, "decoded", all.count,
            rest.count,
            isSame ? "same" : "DIFFERENT")
        #expect(isSame && rest.count == all.count - (frames.count - kept.count))
    }

    private func format(of codec: VideoCodec) -> String? {
        switch codec {
        case .h264: "h264"
        case .hevc: "hevc"
        case .av1: "obu"
        case .mpeg1, .mpeg2: "mpegvideo"
        case .mpeg4: "m4v"
        case .vp8, .vp9, .other: nil
        }
    }

    /// The parameter sets of a configuration as they are in an elementary stream.
    private func configuration(of stream: CorpusStream) -> [UInt8] {
        let record = stream.extradata
        guard case .lengthPrefixed = NALFraming(codec: stream.codec, extradata: record.span) else {
            return stream.codec == .av1 ? [] : record
        }
        let units =
            stream.codec == .h264
            ? ConfigurationRecord.avcUnits(record.span) : ConfigurationRecord.hevcUnits(record.span)
        return units.flatMap { [0, 0, 0, 1] + Array(record[$0]) }
    }

    /// A packet as it is in an elementary stream.
    private func elementary(_ packet: [UInt8], of stream: CorpusStream) -> [UInt8] {
        switch stream.codec {
        case .h264, .hevc:
            let framing = NALFraming(codec: stream.codec, extradata: stream.extradata.span)
            var units = NALUnits(packet.span, framing: framing)
            var bytes: [UInt8] = []
            while let range = units.next() { bytes += [0, 0, 0, 1] + Array(packet[range]) }
            return bytes
        case .av1:
            // Containers leave out temporal delimiters; some writers don't.
            let delimiter: [UInt8] = [0x12, 0]
            return packet.starts(with: delimiter) ? packet : delimiter + packet
        default:
            return packet
        }
    }

    private func hashes(_ bytes: [UInt8], format: String) throws -> [Substring] {
        let folder = try TemporaryFolder()
        let input = try folder.write(bytes, to: "stream.bits")
        let result = try Tool.run(
            "ffmpeg",
            ["-v", "quiet", "-threads", "1", "-strict", "strict", "-f", format, "-i", input]
                + ["-map", "0:v:0", "-fps_mode", "passthrough", "-f", "framemd5", "-"])
        let lines = result.output.split(separator: "\n")
        return lines.filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last }
    }
}
