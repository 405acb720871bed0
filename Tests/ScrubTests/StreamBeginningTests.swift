import Foundation
import TestSupport
import Testing

/// MPEG-4 streams that begin within a group: libavcodec shows what it makes of the first pictures, and ffmpeg counts them.
@Suite struct StreamBeginningTests {
    @Test(arguments: [0, 2]) func mpeg4WithoutItsFirstPicture(bidirectional: Int) throws {
        let folder = try TemporaryFolder()
        let whole = folder.path(of: "whole.m4v")
        try LinearLines.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1.2", "-c:v", "mpeg4", "-g", "12", "-bf", "\(bidirectional)",
            "-f", "m4v", whole,
        ])
        var bytes = try Data(contentsOf: URL(filePath: whole))
        let code = Data([0, 0, 1, 0xB6])
        let first = try #require(bytes.range(of: code))
        let second = try #require(bytes.range(of: code, in: first.upperBound..<bytes.count))
        bytes.removeSubrange(first.lowerBound..<second.lowerBound)
        let path = try folder.write(bytes, to: "cut.m4v")
        let lines = try LinearLines.all(of: path)
        let exact = try LinearLines.exactFrames(of: path)
        // With B pictures ffmpeg shows the made-up picture before the first one too, which no packet made: nothing has a number.
        #expect(bidirectional > 0 ? exact.isEmpty : exact == Array(11..<lines.count), "\(exact) of \(lines.count)")
    }
}
