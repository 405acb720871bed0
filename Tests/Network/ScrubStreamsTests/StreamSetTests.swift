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
