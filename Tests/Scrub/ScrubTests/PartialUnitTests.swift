import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Damage in a part of a packet, or in a picture that is left out, that a decoder hears of only when it is given
/// everything.
@Suite struct PartialUnitTests {
    /// An AV1 group whose second packet holds five frames, one of them damaged. Later commands that show its undecoded
    /// frames show the key frame instead, which then takes every slot. However one asks, the answer is one, and an
    /// exact picture is the linear decode's.
    @Test func theAnswerDoesNotDependOnHowOneAsks() throws {
        let clip = try #require(Clip.all.first { $0.file == "av1-svt.mkv" })
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: clip.path)))
        bytes.replaceSubrange(2160..<2164, with: [255, 255, 255, 254])
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "damaged.mkv")
        let asset = try VideoAsset(path: path, options: .init(cache: .none))
        let report = try asset.verify()
        #expect(report.faults.isEmpty, "\(report.faults.prefix(4))")

        var together: [Int: (String, String?)] = [:]
        var reader = FrameReader(asset)
        let numbers = Array(asset.frames.indices.prefix(40))
        try reader.frames(numbered: numbers) { (answer) throws(ScrubError) in
            together[answer.frame.number] = (answer.verdict.name, try answer.picture?.md5())
        }
        #expect(together.values.contains { $0.0 != "exact" }, "the damage is heard")
        for number in numbers {
            // A file of its own, so that nothing is known from the others.
            var alone = FrameReader(try VideoAsset(path: path, options: .init(cache: .none)))
            let answer = try alone.frame(numbered: number)
            let known = try #require(together[number])
            #expect(answer.verdict.name == known.0, "frame \(number)")
            #expect(try answer.picture?.md5() == known.1, "frame \(number)")
        }
    }
}
