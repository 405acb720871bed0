import ScrubFileIO
import Foundation
import ScrubTestClips
import ScrubTestSupport
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

    @Test func closedStandardOutputIsAnError() throws {
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
        try LinearLines.makeLongGroups(film)
        for (name, status) in [("INT", 130), ("TERM", 143)] {
            // A file in the folder says that the work has begun. Test runners block signals, and shells ignore SIGINT
            // in what runs beside them: both would be inherited.
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

    @Test func positionsOutsideAreReported() throws {
        let folder = try TemporaryFolder()
        for outside in ["12", "99s", "-1s", "99:00:00:00"] {
            for command in [["strip"], ["thumbs", "--profile", "web"]] {
                let arguments =
                    [
                        command[0], clip, "--at", "0.5,\(outside)", "-o", folder.path(of: command[0] + outside),
                        "--no-cache",
                    ]
                    + command.dropFirst()
                let refused = try Tool.run(CommandTests.program, arguments)
                #expect(refused.status == 64, "\(refused.errors)")
                #expect(refused.errors.contains("'\(outside)' is outside the video"), "\(refused.errors)")
                let result = try Tool.run(CommandTests.program, arguments + ["--clamp"])
                #expect(result.status == 0, "\(result.errors)")
                #expect(result.errors.contains("\(outside) is outside the video"), "\(result.errors)")
            }
        }
    }

    /// A shard whose disk is not mounted must not end as if all were done.
    @Test func filmsOfAListThatAreNotThereAreFailures() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: clip, toPath: folder.path(of: "a.mp4"))
        try folder.write(Array("a.mp4\nlost/b.mp4\n".utf8), to: "some.txt")
        try folder.write(Array("lost/b.mp4\nlost/c.mp4\n".utf8), to: "none.txt")
        func batch(_ list: String, _ more: String...) throws -> Tool.Result {
            try Tool.run(
                CommandTests.program,
                [
                    "batch", folder.path(of: list), "--profile", "web", "--to", folder.path(of: "results"), "--state",
                    folder.path(of: "state"),
                ] + more)
        }
        let some = try batch("some.txt", "--json")
        #expect(
            some.status == 0 && some.output.contains(#""done":1"#) && some.output.contains(#""failed":1"#),
            "\(some.output)")
        #expect(
            some.output.contains(#"lost/b.mp4","status":"failed","reason":"is missing""#)
                && some.errors.contains("1 film from the list"))
        #expect(try batch("some.txt", "--strict").status == 65)
        let none = try batch("none.txt")
        #expect(
            none.status == 66 && none.errors.contains("none of the list's 2 films") && none.errors.contains("mounted"),
            "\(none.errors)")
    }

    /// A failed write of a log is reported, once, and ends nothing.
    @Test func aFullLogIsReported() throws {
        let folder = try TemporaryFolder()
        for name in ["a.mp4", "b.mp4"] {
            try FileManager.default.copyItem(atPath: clip, toPath: folder.path(of: "films-\(name)"))
        }
        let result = try Tool.run(
            CommandTests.program,
            [
                "batch", folder.path(of: "films-a.mp4"), folder.path(of: "films-b.mp4"), "--profile", "web", "--to",
                folder.path(of: "results"),
            ]
                + ["--state", folder.path(of: "state"), "--log", "/dev/full"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.split(separator: "\n").filter { $0.contains("/dev/full") }.count == 1, "\(result.errors)")
    }

    /// A reader of the log that goes away ends nothing, and a line that a full disk cut off spoils no other.
    @Test func aLogThatBreaksOffEndsNothing() throws {
        let folder = try TemporaryFolder()
        for number in 1...4 {
            try FileManager.default.copyItem(atPath: clip, toPath: folder.path(of: "films-\(number).mp4"))
        }
        func batch(_ log: String) throws -> Tool.Result {
            try Tool.run(
                CommandTests.program,
                ["batch"] + (1...4).map { folder.path(of: "films-\($0).mp4") }
                    + ["--info", "--to", folder.path(of: "results"), "--state", folder.path(of: "state"), "--log", log])
        }
        let pipe = folder.path(of: "pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = Process()
        (reader.executableURL, reader.arguments) = (
            URL(filePath: "/bin/sh"), ["-c", "head -n 1 <\"$0\" >/dev/null", pipe]
        )
        try reader.run()
        let result = try batch(pipe)
        reader.waitUntilExit()
        #expect(
            result.status == 0 && result.output.contains("4 films done"),
            "\(result.status) \(result.output)\(result.errors)")
        try folder.write(Array(#"{"file":"torn"#.utf8), to: "log")
        #expect(try batch(folder.path(of: "log")).status == 0)
        let lines = try String(contentsOfFile: folder.path(of: "log"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 6 && lines.first == #"{"file":"torn"#)
        for line in lines.dropFirst() {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    /// Names that a person can get wrong are reported, and not taken for a library without films.
    @Test func namesThatNoBatchCanTakeAreSaid() throws {
        let folder = try TemporaryFolder()
        for place in ["a", "b"] {
            try FileManager.default.createDirectory(atPath: folder.path(of: place), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: clip, toPath: folder.path(of: place + "/x.mp4"))
        }
        try folder.write(Array("a/x.mp4\0b/x.mp4\0".utf8), to: "print0")
        try folder.write([0xFF, 0xFE, 0x61, 0, 0x0A, 0], to: "utf16")
        try folder.write(
            Array(#"{"file":"a/x.mp4","place":"p"}\#n{"file":"b/x.mp4","place":"p"}\#n"#.utf8), to: "places")
        func batch(_ words: [String], to results: String = "results") throws -> Tool.Result {
            try Tool.run(
                CommandTests.program,
                ["batch"] + words.map { $0.hasPrefix("-") ? $0 : folder.path(of: $0) }
                    + ["--to", folder.path(of: results), "--state", folder.path(of: "state")])
        }
        let cases: [(words: [String], to: String, status: Int32, text: String)] = [
            (["a/x.mp4", "b/x.mp4", "--info"], "results", 64, "the same place"),
            (["print0", "--info"], "results", 65, "-print0"),
            (["utf16", "--info"], "results", 65, "UTF-16"),
            (["places", "--info"], "results", 65, "the same place"),
            (["a", "--info"], "a", 64, "results"),
            (["a", "b", "--info"], ".", 64, "results"),
            (["a", "--info", "--watch"], "a", 64, "results"),
        ]
        for (words, results, status, text) in cases {
            let found = try batch(words, to: results)
            #expect(found.status == status && found.errors.contains(text), "\(words): \(found.status) \(found.errors)")
        }
        // A folder that no batch knows has no state, and gets none.
        let status = try Tool.run(
            CommandTests.program,
            ["batch", "status", "--to", folder.path(of: "a"), "--state", folder.path(of: "other")])
        #expect(
            status.status == 66 && FileFacts(path: folder.path(of: "other")) == nil, "\(status.output)\(status.errors)")
    }

    /// A list's film that is in no other shard fails there, and the others' disk is not missing.
    @Test func aShardWhoseOnlyFilmIsGoneIsNotAMissingDisk() throws {
        let folder = try TemporaryFolder()
        let names = (0..<8).map { "f\($0).mp4" }
        for name in names.dropFirst() { try FileManager.default.copyItem(atPath: clip, toPath: folder.path(of: name)) }
        try folder.write(Array(names.joined(separator: "\n").utf8), to: "list.txt")
        var failed = 0
        for index in 1...8 {
            let result = try Tool.run(
                CommandTests.program,
                [
                    "batch", folder.path(of: "list.txt"), "--info", "--to", folder.path(of: "results"), "--state",
                    folder.path(of: "state"), "--shard", "\(index)/8", "--json",
                ])
            #expect(result.status == 0, "\(index): \(result.errors)")
            failed += result.output.contains(#""status":"failed","reason":"is missing""#) ? 1 : 0
        }
        #expect(failed == 1)
    }
}
