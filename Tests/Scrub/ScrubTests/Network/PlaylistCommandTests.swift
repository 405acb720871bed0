import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Commands over HLS presentations: the answers are those of the film that the segments are of.
@Suite struct PlaylistCommandTests {
    /// A set of a clip in a folder, and a server that has it too.
    private struct Set {
        let served: RemoteCommandTests.Served
        let folder: TemporaryFolder
        let film = RemoteCommandTests.clips + "h264-bf3.mp4"

        init(_ options: [String]) throws {
            (served, folder) = (try RemoteCommandTests.Served(), try TemporaryFolder())
            let made = try Tool.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", film, "-map", "0:v", "-c", "copy", "-f", "hls", "-hls_time", "1",
                    "-hls_list_size",
                ]
                    + ["0"] + options + [folder.path(of: "index.m3u8")])
            try #require(made.status == 0, "\(made.errors)")
            for name in folder.contents { try served.server.serve(file: folder.path(of: name), as: name) }
        }

        var places: [String] { [folder.path(of: "index.m3u8"), served.server.url("index.m3u8")] }
    }

    private func rows(_ result: Tool.Result) throws -> [[String: Any]] {
        try #require(result.status == 0, "\(result.errors)")
        return try result.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: [[], ["-hls_segment_type", "fmp4"]])
    func answersAreThoseOfTheFilm(_ options: [String]) throws {
        let set = try Set(options)
        let positions = ["f0", "f7", "1.5s", "0.42", "last", "f-30"]
        let film = try rows(try set.served.scrub(["seek", set.film] + positions + ["--hash", "--json"]))
        let facts = try #require(try rows(try set.served.scrub(["info", set.film, "--json"])).first)
        for place in set.places {
            let found = try rows(try set.served.scrub(["seek", place] + positions + ["--hash", "--json"]))
            #expect(found.map { $0["hash"] as? String } == film.map { $0["hash"] as? String }, "\(place)")
            for (row, other) in zip(found, film) {
                let times = try [row, other].map { try #require($0["seconds"] as? Double) }
                #expect(abs(times[0] - times[1]) < 1e-9, "\(place)")
            }
            for (row, other) in zip(found, film) where row["frame"] is Int {
                #expect(row["frame"] as? Int == other["frame"] as? Int, "\(place)")
            }
            #expect((found[0]["network"] != nil) == place.hasPrefix("http"))
            let info = try #require(try rows(try set.served.scrub(["info", place, "--json"])).first)
            for key in ["codec", "width", "height", "frameCount", "keyframeCount", "duration", "frameRate"] {
                #expect((info[key] as? NSObject) == (facts[key] as? NSObject), "\(place): \(key)")
            }
            #expect(info["file"] as? String == place && (info["network"] != nil) == place.hasPrefix("http"))
            let verified = try rows(try set.served.scrub(["verify", place, "--sample", "20", "--json"]))
            #expect(verified.first?["wrong"] as? Int == 0)
        }
    }

    @Test func setsAndPostersAreThoseOfTheFilm() throws {
        let set = try Set(["-hls_segment_type", "fmp4"])
        func thumbnails(_ place: String) throws -> NSArray {
            let folder = try TemporaryFolder()
            let made = try set.served.scrub(["strip", place, "--count", "9", "-o", folder.path, "--json"])
            let object = try #require(try rows(made).first)
            let check = try set.served.scrub(["verify-set", folder.path, "--against", place])
            #expect(check.status == 0, "\(check.errors)")
            return try #require(object["thumbnails"] as? NSArray)
        }
        let film = try thumbnails(set.film)
        for place in set.places {
            #expect(try thumbnails(place) == film, "\(place)")
            let folder = try TemporaryFolder()
            for words in [
                ["thumbs", place, "--profile", "web,hls,jellyfin", "-o", folder.path(of: "set")],
                ["poster", place, "-o", folder.path(of: "poster.png")],
                ["sheet", place, "-o", folder.path(of: "s.jpg")],
                ["plan", place, "0.5"], ["frames", place], ["gesture", place, "--made", "rest", "--seconds", "0.1"],
                ["play", place, "--null", "--clock", "simulated"], ["bench", place],
            ] {
                let result = try set.served.scrub(words)
                #expect(result.status == 0, "\(words): \(result.errors)")
            }
        }
        let drive = "printf 'SEEK 42\\nQUIT\\n' | \"$0\" drive \"$1\" --no-cache"
        let answers = try ([set.film] + set.places).map { place in
            try Tool.run("bash", ["-c", drive, CommandTests.program, place]).output.split(separator: "\n").dropFirst()

                // The frame and its hash: times begin elsewhere.
                .map { line in [1, 3].map { line.split(separator: " ")[$0] } }
        }
        #expect(answers[0] == answers[1] && answers[0] == answers[2] && !answers[0].isEmpty)
    }

    @Test func theLibraryOpensThem() async throws {
        let set = try Set([])
        let clip = try KnownClip(path: set.film)
        var network = NetworkOptions()
        (network.proxy, network.usesCache) = (.none, false)
        let urls = [URL(filePath: set.places[0]), try #require(URL(string: set.places[1]))]
        for url in urls {
            let video = try await VideoAsset.open(
                url: url, options: VideoAsset.OpenOptions(cache: .none), network: network)
            #expect(video.frames.count == clip.hashes.count)
            #expect((video.networkCost != nil) == !url.isFileURL)
            let answer = try await FrameGenerator(video).frame(at: .frame(42))
            #expect(try clip.problem(answer) == nil)
            // Without all segments before the first frame.
            let film = try await HLSVideo.open(url: url, network: network)
            let frame = try await film.frame(at: .frame(42))
            #expect(try frame.picture?.md5() == clip.hashes[42] && frame.number == 42)
            #expect((film.networkCost != nil) == !url.isFileURL)
        }
        let other = try #require(URL(string: "ftp://127.0.0.1/index.m3u8"))
        let refusal = await #expect(throws: ScrubError.self) { try await HLSVideo.open(url: other, network: network) }
        #expect(refusal?.code == .usage)
        // A path alone is a file: the call that reads playlists is named.
        let error = await #expect(throws: ScrubError.self) { try await VideoAsset.open(path: set.places[0]) }
        #expect(error?.code == .unavailable || error?.code == .badData)
        #expect("\(error as Any)".contains("HLSVideo"))
    }

    /// The files of `scrub thumbs`: key pictures as a video playlist, sheets as a playlist of pictures, and one that
    /// names both.
    @Test(arguments: ["h264-bf3.mp4", "h264-open-gop.mp4", "hevc-open-gop.mp4"])
    func ownSetsHaveTheFilmsPictures(_ file: String) throws {
        let clip = try KnownClip(file)
        let scratch = TemporaryFolder.unmade()
        var options = ThumbnailSets.Options([.hls])
        options.request = ThumbnailPlan.Request(.every(.one), tolerance: .keyframe)
        _ = try clip.asset.writeThumbnailSets(into: scratch.path, options: options)
        let report = try clip.asset.writeKeyframeMovie(to: scratch.path + "/again.mp4", every: .one)
        #expect(report.entries.count > 2)
        for name in ["iframes.m3u8", "master.m3u8"] {
            let video = try HLSVideo(path: scratch.path + "/hls/" + name)
            #expect(video.hasOnlyKeyPictures)
            var reader = HLSVideo.Reader(video)
            var random = SplitMix(61)
            for _ in 0..<40 {
                let place = Int.random(in: report.entries.indices, using: &random)
                let entry = report.entries[place]
                let part = Rational(Int64.random(in: 0..<1000, using: &random), 1000)
                let time = entry.time + entry.duration * part
                let answer = try reader.frame(at: .time(time))
                #expect(answer.verdict == .exact && answer.time == entry.time, "seed 61, \(name) at \(time)")
                #expect(try answer.picture?.md5() == clip.hashes[entry.frameNumber], "seed 61, \(name) at \(time)")
                let numbered = try reader.frame(at: .frame(place))
                #expect(numbered.number == place)
                #expect(
                    try numbered.picture?.md5() == clip.hashes[entry.frameNumber], "seed 61, \(name), picture \(place)")
            }
            #expect(try video.asset().frames.count == report.entries.count)
        }
        let error = #expect(throws: ScrubError.self) { try HLSVideo(path: scratch.path + "/hls/images.m3u8") }
        #expect(error?.code == .unavailable)
    }

    @Test func playlistsOfSeveralVideosSayWhatToUse() throws {
        let set = try Set([])
        let text = try set.folder.text("index.m3u8").replacing("\nindex1.ts", with: "\n#EXT-X-DISCONTINUITY\nindex1.ts")
        try set.folder.write(text.utf8, to: "cut.m3u8")
        let result = try set.served.scrub(["info", set.folder.path(of: "cut.m3u8")])
        #expect(result.status == 69 && result.errors.contains("scrub seek"), "\(result.errors)")
        #expect(try set.served.scrub(["seek", set.folder.path(of: "cut.m3u8"), "0s"]).status == 0)
    }
}
