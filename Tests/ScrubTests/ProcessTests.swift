import Foundation
import TestSupport
import Testing

/// The process as shells see it: exit codes, signals, names of any bytes.
@Suite struct ProcessTests {
    private func shell(_ script: String, _ arguments: [String] = []) throws -> Tool.Result {
        try Tool.run(
            "bash", ["-c", script, CommandTests.program] + arguments,
            environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
    }

    private let clip = Clip.folder + "/clips/h264-bf3.mp4"

    @Test func aFullDiskIsAFailedWrite() throws {
        let result = try shell("\"$0\" frames \"$1\" --no-cache > /dev/full", [clip])
        #expect(result.status == 74)
        #expect(result.errors.contains("No space left on device"), "\(result.errors)")
        #expect(try shell("\"$0\" seek \"$1\" f1 -o - --no-cache > /dev/full", [clip]).status == 74)
    }

    @Test func aReaderThatLeavesEndsItQuietly() throws {
        // Also under a parent that ignores SIGPIPE.
        for trap in ["", "trap '' PIPE; "] {
            let result = try shell(
                trap + "for i in 1 2 3 4; do set -- \"$@\" \"$@\"; done; (\"$0\" info \"$@\" --json --no-cache; "
                    + "echo $? >&2) | head -n 1 > /dev/null", [clip])
            #expect(result.errors == "141\n" || result.errors == "0\n", "\(result.errors)")
        }
    }

    @Test func standardOutputThatIsClosedIsNoFile() throws {
        let result = try shell("\"$0\" info \"$1\" --no-cache >&-", [clip])
        #expect(result.status == 74, "\(result.errors)")
    }

    @Test func namesOfAnyBytes() throws {
        let folder = try TemporaryFolder()
        let script = """
            set -e; cd "$2"
            for name in $'caf\\xe9.mp4' $'a\\tb\\nc.mp4' './-x.mp4' $'\\xf4\\x8f\\xbf\\xbf.mp4' $'\\xff\\xfe.mp4'; do
              cp "$1" "$name"
              "$0" info "$name" --json --no-cache
              "$0" seek "$name" f1 -o "${name%.mp4}.png" --no-cache > /dev/null
              test -s "${name%.mp4}.png"
            done
            cp "$1" -- -y.mp4
            "$0" info --json --no-cache -- -y.mp4
            """
        let result = try shell(script, [clip, folder.path])
        #expect(result.status == 0, "\(result.errors)")
        let rows = try result.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(rows.count == 6)
        #expect(rows[0]["file"] as? String == "caf\u{FFFD}.mp4")
        #expect(rows[0]["fileBytes"] as? String == Data([0x63, 0x61, 0x66, 0xE9] + ".mp4".utf8).base64EncodedString())
        #expect(rows[1]["file"] as? String == "a\tb\nc.mp4" && rows[1]["fileBytes"] == nil)
        let missing = try shell("\"$0\" info $'no\\x1b[31m\\xe9\\nfile'")
        #expect(missing.status == 66 && missing.errors.contains("no\\x1b[31m\\xe9\\nfile:"), "\(missing.errors)")
    }

    @Test func aSignalEndsItBySignal() throws {
        let folder = try TemporaryFolder()
        let film = folder.path(of: "film.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=20", "-c:v", "libx264", "-preset",
                "ultrafast", "-g", "250", film,
            ])
        try #require(made.status == 0, "\(made.errors)")
        for (name, status) in [("INT", 130), ("TERM", 143)] {
            // The journal says that the work has begun. Test runners block signals, and shells ignore SIGINT in what runs
            // beside them: both would be inherited.
            let script = """
                out="$2/$3"
                env --default-signal=INT,TERM "$0" strip "$1" --count 400 --tolerance exact --threads 1 -o "$out" --no-cache &
                pid=$!
                until [ -n "$(ls -A "$out" 2> /dev/null)" ] || ! kill -0 $pid 2> /dev/null; do :; done
                kill -$3 $pid; wait $pid; echo $?
                """
            let result = try shell(script, [film, folder.path, name])
            #expect(result.output == "\(status)\n", "\(result.output) \(result.errors)")
            #expect(!folder.files.contains { $0.hasSuffix(".tmp") })
        }
    }

    @Test func optionErrorsNameWhatIsAllowed() throws {
        let cases: [([String], [String])] = [
            (["strip", clip, "-o", "/x", "--format", "gif"], ["jpeg", "png", "webp", "avif"]),
            (["strip", clip, "-o", "/x", "--tolerance", "near"], ["exact", "keyframe", "auto"]),
            (["thumbs", clip, "-o", "/x", "--profile", "vlc"], ["web", "jellyfin", "roku"]),
            (["convert", "x", "-o", "/x", "--to", "gif"], ["vtt", "jellyfin", "bif"]),
            (["verify", clip, "--orders", "up"], ["forward", "backward", "random", "alone", "batch"]),
            (["gesture", clip, "--made", "wave"], ["drag", "flick", "rest"]),
        ]
        for (arguments, names) in cases {
            let result = try Tool.run(CommandTests.program, arguments)
            #expect(result.status == 64, "\(arguments): \(result.errors)")
            for name in names { #expect(result.errors.contains(name), "\(arguments): \(result.errors)") }
        }
    }

    @Test func positionsOutsideAreSaidSo() throws {
        let folder = try TemporaryFolder()
        for command in [["strip"], ["thumbs", "--profile", "web"]] {
            let result = try Tool.run(
                CommandTests.program,
                [command[0], clip, "--at", "0.5,12", "-o", folder.path(of: command[0]), "--no-cache"]
                    + command.dropFirst())
            #expect(result.status == 0 && result.errors.contains("12 is outside the video"), "\(result.errors)")
        }
    }
}
