import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The number of pictures that are decoded for a frame when nothing is there yet: exactly those that it depends on.
@Suite struct SeekCountTests {
    /// A clip with the mean and the greatest count over all its frames. A change of these numbers is a change of the
    /// cost of seeking for all users.
    static let clips: [(String, Double, Int)] = [
        ("h264-bf3.mp4", 10.72, 22), ("h264-cavlc-p.mp4", 15.5, 30), ("hevc-closed.mp4", 6.41, 12),
        ("h264-open-gop.mp4", 8.3, 15),
        ("hevc-open-gop.mp4", 12.99, 28), ("hevc-temporal.mp4", 7.97, 14), ("hevc-radl.mp4", 5.81, 10),
        ("av1-svt.mp4", 6.6, 8),
        ("vp8-altref.webm", 27.6, 53), ("vp9-altref.webm", 26.5, 60), ("mpeg4-b.mp4", 5.62, 10),
    ]

    @Test(arguments: clips) func aColdAnswerDecodesThePlanAndNothingElse(
        _ file: String, _ mean: Double, _ most: Int
    ) throws {
        let clip = try KnownClip(file)
        var counts: [Int] = []
        for number in clip.frames {
            var reader = FrameReader(clip.asset)
            let plan = reader.decodePlan(ofFrame: number)
            let answer = try reader.frame(numbered: number)
            #expect(answer.decodedPictureCount == plan.feed, "#\(number)")
            #expect(answer.restart == plan.restartPicture, "#\(number)")
            counts.append(answer.decodedPictureCount)
        }
        let found = Double(counts.reduce(0, +)) / Double(counts.count)
        #expect((found * 100).rounded() / 100 == mean)
        #expect(counts.max() == most)
    }

    /// A picture as FFmpeg's bitstream filter reads it.
    private struct Packet {
        var time = 0
        var isKey = false
        var isReference = false
    }

    /// The packets of an H.264 clip in decode order, by `trace_headers`, which shares no code with this package.
    private func packets(_ file: String) throws -> [Packet] {
        let result = try Tool.run(
            "ffmpeg",
            [
                "-hide_banner", "-nostats", "-nostdin", "-i", Clip.folder + "/clips/" + file, "-map", "0:v", "-c",
                "copy", "-bsf:v", "trace_headers", "-f", "null", "-",
            ])
        var packets: [Packet] = []
        var reference = 0
        for line in result.errors.split(separator: "\n") where line.hasPrefix("[trace_headers") {
            let words = line.split(whereSeparator: { " ,.".contains($0) })
            let value = words.last.flatMap { Int($0) }
            if words.contains("Packet:") {
                let time = words.firstIndex(of: "pts").flatMap { Int(words[$0 + 1]) }
                packets.append(Packet(time: try #require(time), isKey: words.contains("key")))
            } else if words.contains("nal_ref_idc") {
                reference = try #require(value)
            } else if words.contains("nal_unit_type"), value == 1 || value == 5, !packets.isEmpty {
                packets[packets.count - 1].isReference = reference != 0
            }
        }
        return packets
    }

    /// Closed groups of H.264: the restart, the references between, the picture itself (ITU-T H.264 7.4.1 has no
    /// finer proof than `nal_ref_idc`).
    @Test(arguments: ["h264-bf3.mp4", "h264-bf3-2ref.mp4", "h264-bf3.mov", "neg-ctts.mp4"])
    func h264CountsAreTheReferencesBetween(_ file: String) throws {
        let clip = try KnownClip(file)
        let packets = try packets(file)
        let order = packets.indices.sorted { packets[$0].time < packets[$1].time }
        #expect(order.count == clip.hashes.count)
        for (number, target) in order.enumerated() {
            let restart = try #require(packets[...target].lastIndex { $0.isKey })
            let expected = 1 + packets[restart..<target].count { $0.isReference }
            var reader = FrameReader(clip.asset)
            #expect(try reader.frame(numbered: number).decodedPictureCount == expected, "#\(number)")
            #expect(reader.decodePlan(ofFrame: number).skip == target - restart + 1 - expected, "#\(number)")
        }
        #expect(packets.contains { !$0.isReference })
    }

    @Test(arguments: ["h264-bf3.mp4", "hevc-closed.mp4", "av1-svt.mp4"])
    func theProgramTellsTheSamePlan(_ file: String) throws {
        let clip = try KnownClip(file)
        var reader = FrameReader(clip.asset)
        for number in stride(from: 3, to: clip.hashes.count, by: 23) {
            let result = try Tool.run(
                CommandTests.program, ["plan", clip.asset.path, "f\(number)", "--json", "--no-cache"])
            let row = try #require(
                JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(result.errors)")
            let plan = reader.decodePlan(ofFrame: number)
            #expect(row["frame"] as? Int == number)
            #expect(row["feed"] as? Int == plan.feed)
            #expect(row["skip"] as? Int == plan.skip)
            #expect(row["restartPicture"] as? Int == plan.restartPicture)
        }
    }
}
