import ScrubFileIO
import Foundation
import ScrubLibAV
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubIndex

/// The pictures that a decoder makes of H.264 from the heads of slices alone, beside those from all bytes.
@Suite struct HeadSurveyTests {
    private struct Stream {
        var codec: CodecDescription
        var packets: [[UInt8]] = []

        init?(_ path: String, limit: Int) throws {
            var input = try Input(try MediaSource(path: path), name: path)
            try? input.findStreamInfo(pictureByteLimit: FrameIndex.standardPictureByteLimit)
            guard let stream = input.streams.first(where: { $0.codec.codecName == "h264" }) else { return nil }
            codec = stream.codec
            var packet = try Packet()
            while packets.count < limit, try input.read(into: &packet) {
                guard packet.streamIndex == stream.index, packet.count > 0 else { continue }
                packets.append(packet.bytes.indices.map { packet.bytes[$0] })
            }
        }

        /// Loses, repeats and moves packets, and changes bits at their beginnings.
        mutating func damage(_ random: inout SplitMix) {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: packets.indices, using: &random)
                let other = Int.random(in: packets.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0 where packets.count > 8: packets.remove(at: place)
                case 1: packets.insert(packets[place], at: other)
                case 2: packets.swapAt(place, other)
                default:
                    let bit = Int.random(in: 0..<min(40, packets[place].count) * 8, using: &random)
                    packets[place][bit / 8] ^= 1 << UInt8(bit % 8)
                }
            }
        }

        func order(isOfHeads: Bool) throws -> [UInt32] {
            var survey = try OutputOrderProbe(codec, isOfHeads: isOfHeads)
            var packet = try Packet()
            for (number, bytes) in packets.enumerated() {
                try packet.fill(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
                survey.feed(&packet, number: number, isKey: number == 0)
            }
            survey.finish()
            return survey.order
        }
    }

    static let folder = Repository.clips
    static let clips = [
        "damaged-h264.mp4", "h264-b.flv", "h264-bf3-2ref.mp4", "h264-bf3.ts", "h264-cavlc-p.mp4",
        "h264-intra-refresh-b.mp4", "h264-intra-refresh.ts", "h264-mbaff.ts", "h264-open-gop.mkv", "h264-open-gop.ts",
        "h264-paff.h264", "h264-paff.mp4", "h264-paff.ts", "h264-raw.h264", "h264-starts-open.h264", "order-h264.asf",
    ]

    @Test(arguments: clips) func headsTellWhatComesOut(_ clip: String) throws {
        let sound = try #require(try Stream(HeadSurveyTests.folder + "/" + clip, limit: 60))
        #expect(try sound.order(isOfHeads: true) == sound.order(isOfHeads: false))
        for seed in 0..<6 {
            var (stream, random) = (sound, SplitMix(UInt64(seed)))
            stream.damage(&random)
            #expect(try stream.order(isOfHeads: true) == stream.order(isOfHeads: false), "seed \(seed)")
        }
    }
}
