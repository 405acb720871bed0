import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub play` as shells and programs see it.
@Suite struct PlayTests {
    private func clip(_ name: String) -> String { Clip.folder + "/clips/" + name }

    private func play(_ arguments: [String]) throws -> Tool.Result {
        try Tool.run(CommandTests.program, ["play"] + arguments, environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
    }

    private func shell(_ script: String, _ arguments: [String]) throws -> Tool.Result {
        try Tool.run(
            "bash", ["-c", script, CommandTests.program] + arguments,
            environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
    }

    private func summary(_ arguments: [String]) throws -> [String: Any] {
        let result = try play(arguments + ["--json"])
        #expect(result.status == 0, "\(result.errors)")
        return try object(result.output.split(separator: "\n").last.map(String.init) ?? "")
    }

    private func object(_ line: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }

    @Test(arguments: [
        "h264-bf3.mp4", "hevc-open-gop.mkv", "rotate-90.mp4", "vp9-altref.webm", "mpeg2-open.ts", "av1-10.mp4",
    ])
    func `a constant rate is ffmpeg's very stream`(_ name: String) throws {
        let script = """
            set -o pipefail
            "$0" play "$1" --y4m - --no-cache | md5sum && ffmpeg -nostdin -v error -i "$1" -strict -1 -f yuv4mpegpipe - | md5sum
            """
        let result = try shell(script, [clip(name)])
        let sums = result.output.split(separator: "\n")
        #expect(result.status == 0 && sums.count == 2 && sums.first == sums.last, "\(result.errors) \(sums)")
    }

    @Test func `a variable rate has the same pictures, and their times`() throws {
        let folder = try TemporaryFolder()
        let script = """
            set -e
            "$0" play "$1" --y4m "$2/a.y4m" --times "$2/times.txt" --no-cache > /dev/null
            ffmpeg -nostdin -v error -i "$1" -fps_mode passthrough -f yuv4mpegpipe "$2/b.y4m"
            for i in a b; do tail -n +2 "$2/$i.y4m" | md5sum; done
            ffprobe -v error -select_streams v -show_entries frame=pts_time -of csv=p=0 "$1"
            """
        let result = try shell(script, [clip("vfr.mp4"), folder.path])
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(result.status == 0 && lines.count == 62, "\(result.errors)")
        #expect(lines[0] == lines[1])
        let times = try String(contentsOfFile: folder.path(of: "times.txt"), encoding: .utf8).split(separator: "\n")
        #expect(times.first == "# timestamp format v2" && times.count == 61)
        let expected = lines.dropFirst(2).compactMap { Double($0.prefix { $0 != "," }) }
        let first = try #require(expected.first)
        #expect(zip(times.dropFirst(), expected).allSatisfy { abs((Double($0) ?? -1) / 1000 - ($1 - first)) < 1e-5 })
    }

    @Test(arguments: [
        [], ["--rate", "max"], ["--rate", "-1"], ["--rate", "1/3"], ["--rate", "2.5"], ["--rate", "-max"],
        ["--decoders", "1"],
    ])
    func `loops and lists have every frame once for each round`(_ options: [String]) throws {
        let one = try summary([clip("h264-lossless.mp4"), "--loop", "100"] + options)
        #expect(one["presented"] as? Int == 1200 && one["passages"] as? Int == 100 && one["items"] as? Int == 1)
        let names = ["h264-lossless.mp4", "h264-single.mp4", "rotate-90.mp4"]
        let several = try summary(names.map(clip) + ["--loop", "3"] + options)
        #expect(several["presented"] as? Int == 63 && several["passages"] as? Int == 9)
        for row in [one, several] {
            #expect(row["repeated"] as? Int == 0 && row["skipped"] as? Int == 0 && row["blank"] as? Int == 0, "\(row)")
            for key in ["worstTransitionMs", "worstLateMs", "seconds"] { #expect(row[key] is Double, "\(key)") }
            for key in ["peakBytes", "decoderPeak"] { #expect(row[key] as? Int ?? 0 > 0, "\(key)") }
            #expect(row["previews"] as? Int == 0 && row["inTime"] == nil, "every frame comes, by no clock")
        }
    }

    @Test func `with a real clock it says how many frames were in time`() throws {
        let row = try summary([clip("h264-bf3.mp4"), "--null", "--clock", "real", "--rate", "-4", "--from", "f60"])
        let (inTime, presented) = (row["inTime"] as? Int ?? 0, row["presented"] as? Int ?? 0)
        #expect(inTime > 0 && inTime <= presented && row["previews"] as? Int == 0, "\(row)")
    }

    @Test func `it begins where it was told to`() throws {
        #expect(try summary([clip("h264-bf3.mp4"), "--from", "f90"])["presented"] as? Int == 10)
        #expect(try summary([clip("h264-bf3.mp4"), "--from", "f-90", "--rate", "-1"])["presented"] as? Int == 11)
        let looped = try summary([clip("h264-bf3.mp4"), "--from", "f90", "--loop", "2"])
        #expect(looped["presented"] as? Int == 110 && looped["skipped"] as? Int == 0)
    }

    @Test func `events come before the summary`() throws {
        let result = try play([clip("h264-lossless.mp4"), clip("rotate-90.mp4"), "--events", "--json"])
        let rows = try result.output.split(separator: "\n").map { try object(String($0)) }
        let events = rows.dropLast().compactMap { $0["event"] as? String }
        #expect(events.count == rows.count - 1 && rows.last?["presented"] as? Int == 20)
        #expect(events.filter { $0 == "itemEnded" }.count == 2 && events.filter { $0 == "playlistEnded" }.count == 1)
        #expect(events.contains("itemTransition"))
    }

    @Test func `a bad file is told, and the others are played`() throws {
        let missing = try play(["/nowhere/x.mp4", clip("h264-lossless.mp4"), Clip.folder + "/README.md", "--json"])
        #expect(missing.status == 66, "\(missing.errors)")
        #expect(try object(missing.output)["presented"] as? Int == 12)
        #expect(missing.errors.contains("/nowhere/x.mp4: ") && missing.errors.contains("2 of 3 files failed"))
        #expect(try play([Clip.folder + "/README.md"]).status == 65)
        for wrong in [
            ["--rate", "0"], ["--rate", "1/0"], ["--rate", "50%"], ["--rate", "--1"], ["--rate", "1e3"],
            ["--loop", "0"], ["--loop", "-1"],
            ["--from", "f100"], ["--from", "soon"], ["--null", "--y4m", "-"], ["--times", "t"], ["--memory", "0"],
            ["--rate", "max", "--clock", "real"], ["--loop", "9223372036854775807"], ["--rgb"],
        ] {
            let result = try play([clip("h264-bf3.mp4")] + wrong)
            #expect(result.status == 64 && !result.errors.isEmpty, "\(wrong): \(result.status)")
        }
    }

    @Test func `too little memory is reported`() throws {
        let result = try play([clip("h264-paff.mp4"), "--memory", "1", "--threads", "8", "--json"])
        #expect(result.status == 69 && result.errors.contains("budget"), "\(result.errors)")
        let row = try summary([clip("h264-bf3.mp4"), clip("av1-10.mp4"), "--memory", "24", "--threads", "1"])
        #expect(row["skipped"] as? Int == 0 && row["peakBytes"] as? Int ?? .max <= 24 << 20, "\(row)")
    }

    @Test func `pictures on standard output are alone there`() throws {
        let script = """
            "$0" play "$1" --y4m - --json --events --no-cache | tail -c +1 | head -c 9; echo
            "$0" play "$1" --raw - --no-cache 2> /dev/null | wc -c
            """
        let result = try shell(script, [clip("h264-lossless.mp4")])
        #expect(result.output.hasPrefix("YUV4MPEG2\n"), "\(result.output)")
        #expect(
            result.output.hasSuffix("\n\(12 * 192 * 112 * 3 / 2)\n")
                || result.output.hasSuffix("\n\(12 * 192 * 112 * 3)\n"), "\(result.output)")
    }

    @Test func `a reader that has seen enough ends it silently`() throws {
        let script = "(\"$0\" play \"$1\" --loop 1000 --y4m - --no-cache; echo $? >&2) | head -c 100000 | wc -c"
        let result = try shell(script, [clip("h264-bf3.mp4")])
        #expect(result.errors == "0\n" && result.output == "100000\n", "\(result.errors)")
    }

    @Test func `what is broken off leaves nothing under its name`() throws {
        let folder = try TemporaryFolder()
        for (name, status) in [("INT", 130), ("TERM", 143)] {
            let script = """
                env --default-signal=INT,TERM "$0" play "$1" --loop inf --y4m "$2/$3.y4m" --clock real --events --no-cache > "$2/$3.events" &
                pid=$!
                until grep -q itemEnded "$2/$3.events" 2> /dev/null || ! kill -0 $pid 2> /dev/null; do :; done
                kill -$3 $pid; wait $pid; echo $?
                ls -A "$2" | grep -v events
                """
            let result = try shell(script, [clip("h264-single.mp4"), folder.path, name])
            #expect(result.output == "\(status)\n", "\(result.output) \(result.errors)")
        }
    }

    @Test func `folders above an output are made`() throws {
        let folder = try TemporaryFolder()
        let (pictures, times) = (folder.path + "/a/b/x.y4m", folder.path + "/c/x.txt")
        #expect(try play([clip("h264-lossless.mp4"), "--y4m", pictures, "--times", times]).status == 0)
        #expect(FileManager.default.fileExists(atPath: pictures) && FileManager.default.fileExists(atPath: times))
    }

    @Test func `a file that cannot be written is a failed write`() throws {
        #expect(try play([clip("h264-lossless.mp4"), "--y4m", "/dev/null/x.y4m"]).status == 74)
        #expect(
            try shell("\"$0\" play \"$1\" --y4m - --no-cache > /dev/full", [clip("h264-lossless.mp4")]).status == 74)
        #expect(try shell("\"$0\" play \"$1\" --json --no-cache > /dev/full", [clip("h264-lossless.mp4")]).status == 74)
    }

    /// The terminal's last line says how the keys are found, and `?` shows them until the next key.
    @Test func theTerminalShowsItsKeys() throws {
        let script = """
            import fcntl, os, pty, struct, sys, termios
            child, terminal = pty.fork()
            if child == 0:
                os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
                os.execv(sys.argv[1], sys.argv[1:2] + ["play", sys.argv[2], "--terminal", "--loop", "inf", "--no-cache"])
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            seen = b""
            def until(text):
                global seen
                while text not in seen:
                    seen += os.read(terminal, 65536)
                seen = seen[seen.index(text):]
            until(b"? shows the keys")
            os.write(terminal, b"?")
            until(b"faster each time")
            os.write(terminal, b" ")
            until(b"? shows the keys")
            os.write(terminal, b"q")
            try:
                while os.read(terminal, 65536): pass
            except OSError:
                pass
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """
        let result = try Tool.run(
            "timeout",
            [
                "-k", "1", "120", "python3", "-c", script, CommandTests.program, Clip.folder + "/clips/h264-bf3.mp4",
            ])
        #expect(result.status == 0 && result.output == "0\n", "\(result.status) \(result.output) \(result.errors)")
    }
}
