import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub batch` as it is typed: plan, `--dry-run` and run say the same of the same films; predictions; failures;
/// Ctrl-C.
@Suite struct BatchCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path(of: "films"), withIntermediateDirectories: true)
    }

    private func add(_ clip: String, as name: String? = nil) throws {
        try FileManager.default.copyItem(
            atPath: Clip.folder + "/clips/" + clip, toPath: folder.path(of: "films/" + (name ?? clip)))
    }

    private func batch(_ words: [String], state: String = "state") throws -> Tool.Result {
        try Tool.run(
            CommandTests.program, ["batch"] + words,
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache"), "XDG_STATE_HOME": folder.path(of: state)])
    }

    private func objects(_ result: Tool.Result) throws -> [[String: Any]] {
        try #require(result.status == 0, "\(result.errors)")
        return try result.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    private func summary(_ rows: [[String: Any]]) throws -> [String: Any] {
        try #require(rows.last?["summary"] as? [String: Any])
    }

    /// A picture, moving or not, beside films is not one; one that is named is reported, and is not taken for a
    /// list of films.
    @Test(arguments: ["anim.gif", "anim.apng", "still.png"]) func namedPicturesAreLeftOut(_ clip: String) throws {
        try add(clip)
        let to = ["--profile", "web", "--to", folder.path(of: "out"), "--json"]
        let among = try summary(try objects(try batch([folder.path(of: "films")] + to)))
        #expect(among["passedOver"] as? Int == 1 && among["skipped"] as? Int == 0)
        let named = try objects(try batch([folder.path(of: "films/\(clip)")] + to, state: "other"))
        #expect(try summary(named)["skipped"] as? Int == 1)
        let reason = try #require(named.first { $0["status"] as? String == "skipped" }?["reason"] as? String)
        #expect(reason.hasPrefix("not a film"), "\(reason)")
    }

    /// A contact sheet of each film, as JPEG.
    @Test func sheetsAreMade() throws {
        for clip in ["h264-bf3.mp4", "vfr.mp4"] { try add(clip) }
        let to = ["--sheet", "--to", folder.path(of: "out"), "--json"]
        let rows = try objects(try batch([folder.path(of: "films")] + to))
        #expect(try summary(rows)["done"] as? Int == 2)
        for clip in ["h264-bf3.mp4", "vfr.mp4"] {
            #expect(try folder.bytes("out/\(clip)/sheet.jpg").starts(with: [0xFF, 0xD8]))
        }
        let again = try objects(try batch([folder.path(of: "films")] + to))
        #expect(try summary(again)["kept"] as? Int == 2)
    }

    /// A proof decodes every picture, and more than once: its forecast is of that, and not of one key picture.
    @Test func aProofIsForecastAsOne() throws {
        try add("h264-bf3.mp4")
        func cost(_ words: [String]) throws -> Double {
            let rows = try objects(
                try batch(
                    ["plan", folder.path(of: "films"), "--to", folder.path(of: "out"), "--json"] + words))
            return try #require(rows.last?["cpuSeconds"] as? Double)
        }
        // What a film costs because it is one is in both.
        let (info, previews) = (try cost(["--info"]), try cost(["--previews"]))
        let (sampled, whole) = (try cost(["--verify", "--sample", "10"]), try cost(["--verify", "--sample", "0"]))
        #expect(previews > info && sampled - info > (previews - info) / 2 && whole > sampled)
    }

    @Test func planDryRunAndRunAgree() throws {
        for clip in ["h264-bf3.mp4", "h264-open-gop.mkv", "vfr.mp4"] { try add(clip) }
        // A film by another name, another file, a broken one, and sound alone.
        try add("nonzero.ts", as: "film.txt")
        try folder.write(Array("hello\n".utf8), to: "films/notes.txt")
        try folder.write((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7919) }, to: "films/broken.mkv")
        let sound = try Tool.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac", folder.path(of: "films/sound.mp4")])
        try #require(sound.status == 0, "\(sound.errors)")
        let films = folder.path(of: "films")
        let work = [films, "--profile", "web", "--to", folder.path(of: "out")]

        func check(missing: Int, kept: Int, failed: Int) throws {
            let plan = try #require(try objects(try batch(["plan"] + work + ["--json"])).first)
            let dry = try objects(try batch(work + ["--dry-run", "--json"]))
            let counts = try summary(dry)
            #expect(plan["files"] as? Int == missing && counts["missing"] as? Int == missing)
            #expect(plan["kept"] as? Int == kept && counts["kept"] as? Int == kept)
            #expect(plan["failures"] as? Int == failed && counts["failed"] as? Int == failed)
            #expect(plan["passedOver"] as? Int == counts["passedOver"] as? Int)
            #expect(dry.filter { $0["status"] as? String == "missing" }.count == missing)
            let failures = dry.filter { $0["status"] as? String == "failed" }
            #expect(failures.allSatisfy { ($0["reason"] as? String)?.isEmpty == false && $0["code"] as? Int == 65 })
            #expect(failures.count == failed)
        }
        try check(missing: 4, kept: 0, failed: 1)
        let run = try summary(try objects(try batch(work + ["--json"])))
        #expect(run["done"] as? Int == 4 && run["failed"] as? Int == 1 && run["passedOver"] as? Int == 2, "\(run)")
        try check(missing: 0, kept: 4, failed: 1)
        // Results are known by their records where nothing else knows them.
        try FileManager.default.removeItem(atPath: folder.path(of: "state"))
        try check(missing: 0, kept: 4, failed: 1)
        let people = try batch(work + ["--dry-run"])
        #expect(
            people.errors.contains("0 films would be processed, 4 current, 1 cannot be processed"), "\(people.errors)")
    }

    /// Small films and large ones, wide and tall ones, by profiles whose results have little to do with pixels.
    @Test(arguments: ["web", "jellyfin", "plex,roku", "hls", "contact", "web,jellyfin,dash"])
    func predictedBytesAreWithinAFactorOfTwo(_ profile: String) throws {
        for clip in ["h264-bf3.mp4", "demo.mp4", "vfr.mp4", "h264-open-gop.mkv", "rotate-90.mp4", "vp9-altref.webm"] {
            guard FileManager.default.fileExists(atPath: Clip.folder + "/clips/" + clip) else { continue }
            try add(clip)
        }
        let real = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=640x360:r=10", "-t", "40", "-c:v", "libx264",
                "-preset",
                "ultrafast", folder.path(of: "films/long.mp4"),
            ])
        try #require(real.status == 0, "\(real.errors)")
        let work = [folder.path(of: "films"), "--profile", profile, "--every", "2"]
        func predicted(_ to: String) throws -> Double {
            let plan = try objects(try batch(["plan"] + work + ["--to", folder.path(of: to), "--json"]))
            return try #require(plan.first?["bytesWritten"] as? Double)
        }
        let before = try predicted("one")
        let run = try summary(try objects(try batch(work + ["--to", folder.path(of: "one"), "--json"])))
        let actual = Double(try #require(run["bytes"] as? Int))
        #expect((actual / 2...actual * 2).contains(before), "\(profile): \(before) of \(actual)")
        // Another folder of results has learned from the first one.
        let after = try predicted("two")
        #expect((actual / 1.2...actual * 1.2).contains(after), "\(profile): \(after) of \(actual)")
    }

    @Test func predictionsLearnFromTheMachine() throws {
        for clip in ["h264-bf3.mp4", "demo.mp4", "vfr.mp4"] { try add(clip) }
        let work = [folder.path(of: "films"), "--profile", "web"]
        func plan(_ to: String) throws -> [String: Any] {
            try #require(
                try objects(try batch(["plan"] + work + ["--to", folder.path(of: to), "--json"])).first)
        }
        #expect(try plan("one")["earlierPredictions"] == nil)
        for _ in 1...2 {
            // The state of the folder may be anywhere.
            #expect(
                try batch(work + ["--to", folder.path(of: "one"), "--state", folder.path(of: "own.sqlite")]).status == 0
            )
        }
        let other = try plan("two")
        #expect((other["earlierPredictions"] as? [String: Any])?["films"] as? Int == 3)
        #expect(other["files"] as? Int == 3)
        // Anything there but a file of this user's is ignored, and not waited for.
        let place = folder.path(of: "state/scrub/batch")
        let costs = try #require(TemporaryFolder.names(place).first { $0.hasPrefix("costs-") })
        try FileManager.default.removeItem(atPath: place + "/" + costs)
        #expect(mkfifo(place + "/" + costs, 0o600) == 0)
        #expect(try plan("two")["earlierPredictions"] == nil)
        #expect(try batch(work + ["--to", folder.path(of: "three")]).status == 0)
    }

    @Test func failuresSayWhenTheyAreTriedAgain() throws {
        try folder.write(Array("no film at all".utf8), to: "films/broken.mp4")
        try add("h264-bf3.mp4", as: "large.mp4")
        let place = ["--to", folder.path(of: "out")]
        #expect(try batch([folder.path(of: "films"), "--profile", "web", "--memory", "1"] + place).status == 0)
        let rows = try objects(try batch(["failures", "--json"] + place))
        #expect(rows.map { $0["status"] as? String } == ["failed", "waiting"])
        #expect(rows.map { $0["triesAgain"] as? Bool } == [false, true])
        let text = try batch(["failures"] + place).output.split(separator: "\n")
        try #require(text.count == 2)
        #expect(text[0].hasSuffix("not retried automatically (use scrub batch retry)"), "\(text[0])")
        #expect(text[1].hasSuffix("will be retried by the next run"), "\(text[1])")
        // A failure that may pass is tried again later.
        try FileManager.default.createDirectory(
            atPath: folder.path(of: "out/large.mp4/strange"), withIntermediateDirectories: true)
        #expect(try batch([folder.path(of: "films"), "--profile", "web"] + place).status == 0)
        let later = try objects(try batch(["failures", "--json"] + place)).filter {
            $0["status"] as? String == "waiting"
        }
        #expect((1...60).contains(later.first?["inSeconds"] as? Int ?? 0), "\(later)")
        let said = try batch(["failures"] + place).output
        #expect(said.contains("will be retried by the first run after ") && !said.contains("." + "000"), "\(said)")
    }

    /// `--previews` needs no `--to`: plan, `--dry-run`, run and status agree, and sessions find what was made.
    @Test func previewsOfALibrary() throws {
        for clip in ["h264-bf3.mp4", "vfr.mp4"] { try add(clip) }
        let work = [folder.path(of: "films"), "--previews"]
        let plan = try #require(try objects(try batch(["plan"] + work + ["--json"])).first)
        #expect(plan["files"] as? Int == 2)
        #expect(try summary(try objects(try batch(work + ["--dry-run", "--json"])))["missing"] as? Int == 2)
        let rows = try objects(try batch(work + ["--json"]))
        let sum = try summary(rows)
        #expect(sum["done"] as? Int == 2 && sum["unbegun"] as? Int == 0, "\(sum)")
        let predicted = try #require(plan["bytesWritten"] as? Double)
        let actual = Double(try #require(sum["bytes"] as? Int))
        #expect((actual / 3...actual * 3).contains(predicted), "\(predicted) of \(actual)")
        #expect(try summary(try objects(try batch(work + ["--json"])))["kept"] as? Int == 2)
        #expect(try objects(try batch(["plan"] + work + ["--json"])).first?["kept"] as? Int == 2)
        let records = folder.path(of: "state/scrub/batch")
        let name = try #require(TemporaryFolder.names(records).first { $0.hasPrefix("previews-") })
        let status = try objects(try batch(["status", "--to", records + "/" + name, "--json"])).first
        #expect(status?["done"] as? Int == 2 && status?["bytes"] as? Int == Int(actual))
        // Microseconds, as in the lines of a run.
        let cpu = try #require(status?["cpu"] as? Double)
        #expect(cpu > 0 && cpu == (cpu * 1e6).rounded() / 1e6, "\(cpu)")
        // scrub previews finds nothing left to make.
        let single = try Tool.run(
            CommandTests.program, ["previews", folder.path(of: "films/vfr.mp4"), "--json"],
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
        let found = try #require(try objects(single).first)
        #expect(found["made"] as? Int == 0 && found["missing"] as? Int == 0)
        for wrong in [["--no-cache"], ["--poster"], ["--beside"], ["--to", "s3://bucket/films"]] {
            #expect(try batch(work + wrong).status == 64, "\(wrong)")
        }
    }

    /// A cache without room: one sentence, a count of the rest, and a state that says so.
    @Test func previewsWithoutRoom() throws {
        for clip in ["h264-bf3.mp4", "vfr.mp4", "demo.mp4"] { try add(clip) }
        let words = ["batch", folder.path(of: "films"), "--previews", "--jobs", "1", "--to", folder.path(of: "out")]
        func run(_ limit: String, _ more: String...) throws -> Tool.Result {
            try Tool.run(
                CommandTests.program, words + more,
                environment: [
                    "SCRUB_CACHE_DIR": folder.path(of: "cache"), "XDG_STATE_HOME": folder.path(of: "state"),
                    "SCRUB_CACHE_LIMIT": limit,
                ])
        }
        let full = try run("64K")
        #expect(full.status == 0)
        let said = full.errors.split(separator: "\n").filter { $0.contains("its previews need about ") }
        #expect(said.count == 1, "\(full.errors)")
        #expect(full.output.contains("1 failed") && full.output.contains("2 not started because the cache is full"))
        #expect(try run("64K", "--strict").status == 65)
        let waiting = try objects(try batch(["failures", "--to", folder.path(of: "out"), "--json"]))
        #expect(waiting.count == 3 && waiting.allSatisfy { $0["triesAgain"] as? Bool == true })
        let sum = try summary(try objects(try run("1G", "--json")))
        #expect(sum["done"] as? Int == 3 && sum["unbegun"] as? Int == 0, "\(sum)")
    }

    /// Ctrl-C is answered at once, on a line of its own, with the work that is still done.
    @Test func ctrlCIsAnswered() throws {
        let film = folder.path(of: "films/film.mp4")
        try LinearLines.makeLongGroups(film)
        // It works on the film as long as its folder is there: then the signal comes, and its answer before the end.
        let script = """
            cd "$1"
            env --default-signal=INT "$0" batch films --profile web --every 0.04 --tolerance exact --jobs 1 --to out \
            --state state --no-cache 2> err & pid=$!
            until [ -n "$(ls -d out/.scrub-film-* 2> /dev/null)" ] || ! kill -0 $pid 2> /dev/null; do :; done
            kill -INT $pid
            until grep -q Ctrl-C err || ! kill -0 $pid 2> /dev/null; do :; done
            kill -0 $pid 2> /dev/null && echo "still at work"
            kill -INT $pid; wait $pid; echo $?
            cat err
            """
        let result = try Tool.run("bash", ["-c", script, CommandTests.program, folder.path])
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "still at work", "\(result.output)")
        #expect(lines.dropFirst().first == "130", "\(result.output)")
        #expect(lines.contains("scrub: finishing 1 film; press Ctrl-C again to stop immediately"), "\(result.output)")
    }
}
