import Foundation
import ScrubBase
import ScrubStreams
import ScrubTestSupport
import Testing

/// Forty random times of each kind of set are the frames of the film that the set was made of.
struct StreamSetTests {
    static let fmp4 = ["-hls_segment_type", "fmp4"]

    @Test func transportStream() throws {
        let set = try StreamSet([])
        print("TS:", try set.check(seed: 1))
    }

    @Test func movieFragments() throws {
        let set = try StreamSet(StreamSetTests.fmp4)
        print("fMP4:", try set.check(seed: 2))
    }

    @Test func openGroupsInTransportStreams() throws {
        let set = try StreamSet(codec: StreamSet.x264(open: true), [])
        print("TS, open groups:", try set.check(seed: 3))
    }

    @Test func openGroupsInMovieFragments() throws {
        let set = try StreamSet(codec: StreamSet.x264(open: true), StreamSetTests.fmp4)
        print("fMP4, open groups:", try set.check(seed: 4))
    }

    @Test(arguments: [[], fmp4])
    func openGroupsOfHEVC(_ options: [String]) throws {
        let set = try StreamSet(codec: StreamSet.x265(open: true), options)
        print("HEVC, open groups:", options, try set.check(seed: 5))
    }

    @Test(arguments: [[], fmp4])
    func byteRangesOfOneFile(_ options: [String]) throws {
        let set = try StreamSet(options + ["-hls_flags", "single_file"])
        print("one file:", options, try set.check(seed: 6))
    }

    @Test(arguments: [[], fmp4])
    func withSound(_ options: [String]) throws {
        let set = try StreamSet(sound: true, options)
        print("with sound:", options, try set.check(seed: 7))
    }

    @Test(arguments: [[], fmp4])
    func integerDurations(_ options: [String]) throws {
        // Groups of 2.4 s that the playlist calls 2 s or 3 s.
        let set = try StreamSet(
            codec: StreamSet.x264(group: 60), seconds: 30, options + ["-hls_flags", "round_durations"])
        print("integer EXTINF:", options, try set.check(seed: 8))
    }

    /// 33-bit timestamps begin again between segments, within one, and lie near their end.
    /// Parts whose joints the playlist does not mark are where its durations say, as if they were marked: in both
    /// containers, two parts and three, with the joint anywhere.
    @Test(arguments: [[], fmp4], [[5, 5], [2, 6], [6, 4, 8]])
    func unmarkedJoints(_ options: [String], _ lengths: [Int]) throws {
        let folder = try TemporaryFolder()
        var (hashes, lines): ([String], [String]) = ([], [])
        for (part, length) in lengths.enumerated() {
            let name = "part\(part)"
            hashes += try StreamSet.film(
                name + ".mp4", in: folder, seconds: length, size: part == 1 ? "160x90" : "192x108")
            try FFmpeg.run(
                ["-i", name + ".mp4", "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_list_size", "0"] + options
                    + ["-hls_fmp4_init_filename", name + "-init.mp4", name + ".m3u8"], in: folder.path)
            let own = try String(contentsOfFile: folder.path(of: name + ".m3u8"), encoding: .utf8)
                .split(separator: "\n").map(String.init)
            let isHead = { (line: String) in
                line.hasPrefix("#") && !line.hasPrefix("#EXT-X-MAP") && !line.hasPrefix("#EXTINF")
            }
            lines += part == 0 ? own.filter { $0 != "#EXT-X-ENDLIST" } : own.filter { !isHead($0) }
        }
        try (lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n")
            .write(toFile: folder.path(of: "index.m3u8"), atomically: true, encoding: .utf8)
        let set = StreamSet(folder: folder, hashes: hashes)
        try set.check(seed: 12)
        var reader = HLSVideo.Reader(try HLSVideo(path: set.path))
        #expect(try reader.frame(at: .last).time == Rational(Int64(hashes.count - 1), StreamSet.rate))
        #expect(try reader.duration() == Rational(Int64(hashes.count), StreamSet.rate))
    }

    @Test(arguments: ["95440.0", "95436.3", "95435", "95443.717688"])
    func timestampsThatBeginAgain(_ offset: String) throws {
        let set = try StreamSet(["-output_ts_offset", offset])
        print("offset \(offset):", try set.check(seed: 9))
    }

    @Test func segmentsThatDoNotBeginWithAKeyPicture() throws {
        let set = try StreamSet(["-hls_flags", "split_by_time", "-hls_time", "0.7"])
        print("split by time:", try set.check(seed: 10))
    }
}
