import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// Facts of a stream that decoders keep from an earlier statement: encoders that are named on the way, and promises of
/// being whole soon. Every frame that is called exact is the line of ffmpeg's linear decode that has its number, for
/// every request.
@Suite struct CarriedStateTests {
    /// Returns the number of exact frames. Alone, nothing is known of the film yet.
    private func expectLinear(_ path: String) throws -> Int {
        try LinearLines.expectLines(path, aloneEach: 7, opensEach: true).exact
    }

    /// Puts bytes before some of a stream's pictures, each of which has one unit.
    ///
    /// - Parameter words: the bytes before a picture, by its number and the two bytes behind the start code.
    private func inserting(
        into stream: Data, before isPicture: (UInt8) -> Bool, _ words: (Int, UInt8, UInt8) -> [UInt8]
    ) -> Data {
        let bytes = Array(stream)
        var (made, picture) = (Data(), 0)
        for place in bytes.indices {
            if place + 4 < bytes.count, bytes[place] == 0, bytes[place + 1] == 0, bytes[place + 2] == 1,
                isPicture(bytes[place + 3])
            {
                made += words(picture, bytes[place + 3], bytes[place + 4])
                picture += 1
            }
            made.append(bytes[place])
        }
        return made
    }

    private func isSlice(_ header: UInt8) -> Bool { [1, 5].contains(header & 31) }

    /// An SEI message in which x264 names its build (ITU-T H.264 D.1.6).
    private func build(_ number: Int) -> [UInt8] {
        let text = Array("x264 - core \(number) r0 - a".utf8)
        return [0, 0, 1, 6, 5, UInt8(16 + text.count)] + [UInt8](repeating: 0xDC, count: 16) + text + [0x80]
    }

    /// 75 pictures of x264 without its message.
    private func x264(_ source: String, _ coding: String, in folder: TemporaryFolder) throws -> Data {
        let path = folder.path(of: "plain.264")
        let input = ["-f", "lavfi", "-i", source, "-frames:v", "75", "-pix_fmt", "yuv420p"]
        try LinearLines.ffmpeg(
            input + ["-c:v", "libx264", "-x264-params", coding, "-bsf:v", "filter_units=remove_types=6", path])
        return try Data(contentsOf: URL(filePath: path))
    }

    /// libavcodec imitates mistakes of old builds from the picture on that names one.
    @Test(arguments: [(164, 20), (20, 164), (nil, 33), (164, 155), (20, nil)] as [(Int?, Int?)])
    func buildsOfX264(first: Int?, second: Int?) throws {
        let folder = try TemporaryFolder()
        let plain = try x264("testsrc2=s=192x112:r=25:d=3", "keyint=12:bframes=3:direct=spatial", in: folder)
        let stream = inserting(into: plain, before: isSlice) { (picture, _, _) in
            let named = picture == 0 ? first : picture == 30 ? second : nil
            return named.map(build) ?? []
        }
        let path = try folder.write(stream, to: "builds.264")
        #expect(try expectLinear(path) == 75)
    }

    /// A message before each P picture falsely promises that it is whole two pictures later. It is also there where
    /// nothing moves, so that a decoder that begins there lacks the same as one that begins at the one before.
    @Test(arguments: ["testsrc2=s=192x112:r=25:d=3", "smptebars=s=192x112:r=25:d=3"], [0, 2])
    func falsePromisesOfBeingWhole(source: String, bframes: Int) throws {
        let folder = try TemporaryFolder()
        let plain = try x264(source, "keyint=40:scenecut=0:bframes=\(bframes)", in: folder)
        let stream = inserting(into: plain, before: isSlice) { (_, header, slice) in
            // slice_type 5 behind first_mb_in_slice 0.
            header & 31 == 1 && slice & 0xFC == 0x98 ? [0, 0, 1, 6, 6, 1, 0x71, 0x80] : []
        }
        try #require(stream.count > plain.count)
        let path = try folder.write(stream, to: "promises.264")
        #expect(try expectLinear(path) == 75)
    }

    /// Promises that hold are kept, and stay a way to begin.
    @Test func promisesThatHold() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "refresh.ts")
        let coding = "keyint=24:intra-refresh=1:bframes=0:ref=1"
        try LinearLines.ffmpeg(
            ["-f", "lavfi", "-i", "testsrc=s=192x112:r=25:d=6", "-pix_fmt", "yuv420p", "-c:v", "libx264"]
                + ["-x264-params", coding, path])
        #expect(try expectLinear(path) == 150)
    }

    /// XviD's name stays in force from the picture on that has it, and in no restart behind it.
    @Test(arguments: [[0], [30], [16, 31]], [0, 2]) func encodersOfMPEG4(places: [Int], bframes: Int) throws {
        let folder = try TemporaryFolder()
        let plain = folder.path(of: "plain.m4v")
        let input = ["-f", "lavfi", "-i", "testsrc2=s=192x112:r=25:d=3"]
        try LinearLines.ffmpeg(input + ["-c:v", "mpeg4", "-g", "15", "-bf", "\(bframes)", "-f", "m4v", plain])
        let stream = inserting(into: try Data(contentsOf: URL(filePath: plain)), before: { $0 == 0xB6 }) {
            (picture, _, _) in
            places.contains(picture) ? [0, 0, 1, 0xB2] + Array("XviD0001".utf8) + [0] : []
        }
        let path = try folder.write(stream, to: "named.m4v")
        // At a name the decoder may read a header twice, and complain of it.
        #expect(try expectLinear(path) >= (places == [0] ? 70 : 14))
    }
}
