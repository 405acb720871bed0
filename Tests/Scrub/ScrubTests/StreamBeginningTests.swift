import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// MPEG streams that begin within a group: libavcodec shows its results for the first pictures, and ffmpeg counts them.
@Suite struct StreamBeginningTests {
    private static let codings = ["mpeg4": ("m4v", UInt8(0xB6)), "mpeg2video": ("m2v", 0), "mpeg1video": ("m1v", 0)]

    @Test(arguments: ["mpeg4", "mpeg2video", "mpeg1video"], [0, 2])
    func withoutTheFirstPicture(codec: String, bidirectional: Int) throws {
        let folder = try TemporaryFolder()
        let (ending, code) = try #require(StreamBeginningTests.codings[codec])
        let whole = folder.path(of: "whole." + ending)
        try LinearLines.ffmpeg([
            "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1.2", "-c:v", codec, "-g", "12", "-bf", "\(bidirectional)",
            "-f", codec == "mpeg4" ? "m4v" : codec, whole,
        ])
        var bytes = try Data(contentsOf: URL(filePath: whole))
        let start = Data([0, 0, 1, code])
        let first = try #require(bytes.range(of: start))
        let second = try #require(bytes.range(of: start, in: first.upperBound..<bytes.count))
        bytes.removeSubrange(first.lowerBound..<second.lowerBound)
        let path = try folder.write(bytes, to: "cut." + ending)
        let count = try LinearLines.all(of: path).count
        let exact = try LinearLines.exactFrames(of: path)
        guard codec == "mpeg4" else {
            // If ffmpeg also shows the picture that it made up, nothing has a number.
            #expect(exact.isEmpty || exact.last == count - 1, "\(exact) of \(count)")
            return
        }
        #expect(bidirectional > 0 ? exact.isEmpty : exact == Array(11..<count), "\(exact) of \(count)")
    }
}
