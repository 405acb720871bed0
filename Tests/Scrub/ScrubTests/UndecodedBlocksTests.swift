import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Pictures whose bytes end too early: decoders stop silently and hand out the former contents of their memory.
@Suite struct UndecodedBlocksTests {
    private static func answers(_ path: String, _ numbers: [Int]) throws -> [FrameAnswer] {
        var reader = FrameReader(try VideoAsset(path: path, options: .init(cache: .none)))
        return try numbers.map { try reader.frame(numbered: $0) }
    }

    /// libavcodec's VP8 decoder leaves the rows out that the token partition has no bytes for.
    @Test func aVP8PictureWithoutTokensIsNotExact() throws {
        let folder = try TemporaryFolder()
        var data = try Data(contentsOf: URL(filePath: Clip.folder + "/clips/vp8-altref.webm"))
        // The key picture's frame tag is three bytes before its start code (RFC 6386, 9.1): 19 bits of it are the size
        // of the first partition. Of the picture's 1571 bytes, two are left for the tokens then.
        let place = try #require(data.range(of: Data([0x9d, 0x01, 0x2a]))).lowerBound - 3
        let tag = Int(data[place] & 0x1f) | (1571 - 10 - 2) << 5
        for k in 0..<3 { data[place + k] = UInt8(tag >> (8 * k) & 0xff) }
        let path = folder.path + "/cut.webm"
        try data.write(to: URL(filePath: path))

        let first = try UndecodedBlocksTests.answers(path, [0, 20])
        #expect(first.allSatisfy { $0.verdict.name == "damaged" })
        #expect(first[0].verdict.reason?.contains("never decoded") == true)
        // Memory that was used for something else before makes no other picture.
        let again = try UndecodedBlocksTests.answers(path, [50, 20, 0])
        #expect(try again[1].picture?.md5() == first[1].picture?.md5())
        #expect(try again[2].picture?.md5() == first[0].picture?.md5())
    }

    /// libavcodec's HEVC decoder takes the end of the data for the end of the slice.
    @Test func aCutHEVCPictureIsNotExact() throws {
        let folder = try TemporaryFolder()
        let data = try Data(contentsOf: URL(filePath: Clip.folder + "/clips/hevc-raw.hevc"))
        let path = folder.path + "/cut.hevc"
        // Of the last picture's 48 bytes 18 are left.
        try data.dropLast(30).write(to: URL(filePath: path))
        let asset = try VideoAsset(path: path, options: .init(cache: .none))
        let last = asset.frames.count - 1
        let answers = try UndecodedBlocksTests.answers(path, [last, last - 1])
        #expect(answers[0].verdict.name == "damaged")
        #expect(answers[0].verdict.reason?.contains("never decoded") == true)
        #expect(answers[1].verdict == .exact)
        let again = try UndecodedBlocksTests.answers(path, Array(0...last))
        #expect(try again[last].picture?.md5() == answers[0].picture?.md5())
    }

    /// A transport stream that says itself that bytes are lost: the decoder may say nothing.
    @Test func aPacketThatTheContainerCallsCorruptIsNotExact() throws {
        let folder = try TemporaryFolder()
        var data = try Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-bf3.ts"))
        // The error indicator (ISO/IEC 13818-1, 2.4.3.3) of a video packet in the middle, and nothing else.
        let packets = stride(from: 0, to: data.count - 187, by: 188)
        let middle = try #require(
            packets.first { $0 > data.count / 2 && data[$0 + 1] & 0x5f == 0x01 && data[$0 + 2] == 0x00 })
        data[middle + 1] |= 0x80
        let path = folder.path + "/flagged.ts"
        try data.write(to: URL(filePath: path))
        let asset = try VideoAsset(path: path, options: .init(cache: .none))
        let answers = try UndecodedBlocksTests.answers(path, Array(asset.frames.indices))
        let damaged = answers.filter { $0.verdict.name == "damaged" }
        #expect(!damaged.isEmpty)
        #expect(damaged.count < answers.count / 2, "a group, not the film")
        #expect(damaged.allSatisfy { $0.verdict.reason?.contains("missing or damaged") == true })
    }

    /// The packets that hold a key picture are lost: the order counts of two groups are one's then.
    @Test func framesAfterALostKeyPictureHaveNoCertainPlace() throws {
        let clip = try #require(Clip.all.first { $0.file == "h264-bf3.ts" })
        let folder = try TemporaryFolder()
        let data = try Data(contentsOf: URL(filePath: clip.path))
        let path = folder.path + "/lost.ts"
        try (data[..<(123 * 188)] + data[(126 * 188)...]).write(to: URL(filePath: path))
        let hashes = try clip.expectedHashes()
        let answers = try UndecodedBlocksTests.answers(path, Array(0..<46)).filter { $0.verdict == .exact }
        #expect(answers.count >= 30, "the lost group has about a dozen")
        for answer in answers {
            #expect(try answer.picture?.md5() == hashes[answer.frame.number], "frame \(answer.frame.number)")
        }
    }
}
