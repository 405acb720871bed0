import Foundation
import Scrub
import TestSupport
import Testing

/// Damaged files that once had pictures called exact which ffmpeg's linear decode of the same file does not make; found by
/// `Scripts/mutants.sh`.
@Suite struct MutantTests {
    struct Mutant: Sendable, CustomTestStringConvertible {
        let clip: String
        /// What is wrong in it, for people.
        let testDescription: String
        let damage: @Sendable (inout [UInt8]) -> Void
    }

    /// Gives a unit behind a length the bytes of another one, as many as it has room for.
    private static func replaceUnit(at place: Int, withThatAt other: Int, in bytes: inout [UInt8]) {
        let lengths = [place, other].map { place in bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        let count = min(lengths[0], lengths[1])
        bytes.replaceSubrange(place + 4..<place + 4 + count, with: Array(bytes[other + 4..<other + 4 + count]))
    }

    static let mutants: [Mutant] = [
        // Left out, it did not lead the decoder's frame_num astray, as it does in a linear decode.
        Mutant(clip: "elst-beyond.mp4", testDescription: "frame_num of a picture that nothing refers to") {
            $0[2930] ^= 0x80
            $0[2941] ^= 0x80
        },
        Mutant(clip: "frag.mp4", testDescription: "a picture that nothing refers to in the place of another") {
            replaceUnit(at: 8462, withThatAt: 10543, in: &$0)
        },
        // The second of the two comes too late: the decoder drops it, unless it is told to wait for more.
        Mutant(clip: "rotate-0.mp4", testDescription: "a picture twice, the last one lost") {
            replaceUnit(at: 2770, withThatAt: 2330, in: &$0)
        },
        Mutant(clip: "rotate-90.mp4", testDescription: "a picture twice, the second one lost") {
            replaceUnit(at: 1457, withThatAt: 2770, in: &$0)
        },
    ]

    @Test(arguments: mutants) func noPictureIsExactThatALinearDecodeLacks(_ mutant: Mutant) throws {
        var bytes = Array(try Data(contentsOf: URL(filePath: Clip.folder + "/clips/" + mutant.clip)))
        mutant.damage(&bytes)
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: mutant.clip)
        let linear = Set(try Corpus.linearDecode(path, stream: 0))
        let asset = try VideoAsset(path: path, options: OpenOptions(cache: .none))
        var exact = 0
        for number in asset.frames.indices {
            // Each alone, and all in one go.
            var reader = FrameReader(asset)
            let answer = try reader.frame(at: .frame(number))
            guard answer.verdict == .exact else { continue }
            exact += 1
            #expect(linear.contains(try answer.picture?.streamMD5() ?? ""), "#\(number)")
        }
        #expect(exact > 0)
        var reader = FrameReader(asset)
        try reader.frames(numbered: Set(asset.frames.indices)) { (answer) throws(ScrubError) in
            guard answer.verdict == .exact else { return }
            let hash = try answer.picture?.streamMD5() ?? ""
            #expect(linear.contains(hash), "#\(answer.frame.number) together with others")
        }
    }
}
