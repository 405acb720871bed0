import Foundation
import Glibc
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The words for a person who types something impossible: the fault, its word, and the right form.
@Suite struct ErrorTextTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let words: [String]
        let status: Int32
        let text: String

        init(_ words: String, _ status: Int32, _ text: String) {
            self.words = words.split(separator: " ", omittingEmptySubsequences: false).map {
                $0 == "''" ? "" : String($0)
            }
            (self.status, self.text) = (status, text)
        }

        var testDescription: String { words.joined(separator: " ") }
    }

    private static let options: [Row] = [
        Row("seek CLIP 0 --width 0", 64, "--width 0 is out of range: use 1 to 16384"),
        Row(
            "seek CLIP 0 --follow --patience=-3", 64, "--patience -3 is out of range: use 0 to 1000000000 seconds"
        ),
        Row("seek CLIP 0 --within 3", 64, "--within needs --follow: add --follow, or omit --within"),
        Row("seek CLIP 0 --stream=-1", 64, "--stream -1 is out of range: streams are counted from 0"),
        Row("seek CLIP 0 --limit x=1", 64, "--limit 'x=1' does not name a limit: use one of streams, pictures"),
        Row(
            "seek CLIP 0 --limit pictures=x", 64,
            "--limit 'pictures=x' does not have a valid number: use a whole number, optionally with K, M or G,"),
        Row("seek CLIP 0 --limit picture-time=0.5", 64, "use a whole number of seconds from 1 to 1000000000"),
        Row("seek CLIP 0 --timeout x", 64, "--timeout 'x' is not a time above 0"),
        Row("seek CLIP 0 --proxy ftp://u:p@host", 64, "--proxy does not support ftp: use http://host:port"),
        Row(
            "seek http://127.0.0.1:1/x 0 --header Host:x", 64,
            "the header field Host is set by Scrub itself (omit it"),
        Row(
            "seek http://127.0.0.1:1/x 0 --cacert no.pem", 66,
            "no.pem: cannot be opened: No such file or directory (check the name"),
        Row("seek CLIP 0 --stream 7", 64, "has no stream 7 (its only stream is 0)"),
        Row("seek CLIP 0 -o '' --format png", 64, "'': is not a valid file name (give the output a name)"),
        Row("strip CLIP --count 2 -o ''", 64, "'': is not a valid folder name (give the folder a name)"),
        Row("strip CLIP --count 2 -o -", 64, "--output -: several files are written"),
        Row("strip CLIP --count 2", 64, "no folder is specified for the strip: add --output DIR"),
        Row("strip CLIP --count 2 --every 1 -o x", 64, "use only one of --count, --every, --at and --scenes"),
        Row(
            "strip CLIP --count 2 --width 10x -o x", 64,
            "--width '10x' is not a list of sizes (use 160, 160x90, or 160,320,640)"),
        Row("strip CLIP --count 2 --quality 0 -o x", 64, "--quality 0 is out of range: use 1 to 100"),
        Row("poster CLIP --cover -o p.jpg", 65, "has no cover art (make a poster instead, from a picture of the film)"),
        Row("poster CLIP -o -", 64, "--output -: several files are written"),
        Row(
            "gesture CLIP --made drag --begin 2", 64,
            "--begin '2' is not a fraction (use a fraction from 0 to 1, such as 0.4, 40% or 2/5)"),
        Row("play CLIP --terminal", 64, "the output is not a terminal (write to a file or a pipe instead)"),
        Row("play CLIP --y4m a --times a", 64, "--y4m and --times name the same file: use different files"),
        Row("view CLIP --port 99999", 64, "--port 99999 is out of range: use 0 to 65535"),
        Row("verify-set . --against CLIP", 66, "contains no thumbnail sets (specify a folder with a strip"),
        Row(
            "convert . --to vtt -o x", 66,
            ".: is not a thumbnail set: it contains no manifest.json (specify a folder"),
        Row(
            "convert nowhere --to vtt -o x", 66,
            "nowhere: cannot be opened as a folder: No such file or directory (check the name"),
        Row(
            "info nowhere.mp4", 66,
            "nowhere.mp4: cannot be opened: No such file or directory (check the name and the folder)"),
        Row("info ''", 66, "'': is not a valid file name (specify a video file)"),
        // The request is wrong, not the film.
        Row(
            "strip CLIP --width 5 -o x", 64, "scrub: a thumbnail's side cannot be 5 pixels (use 16 to 16384)"),
        Row("strip CLIP --every 0.000001 -o x", 64, "thumbnails were requested (request 1 to 100000)"),
        Row("strip CLIP --count 2 --base-url a|b -o x", 64, "scrub: 'a|b' is not a valid base URL (percent-encode it"),
        Row(
            "sheet CLIP --columns 90 --width 64 -o x.jpg", 64,
            "scrub: 90 columns in 64 pixels leave less than 16 pixels"),
        Row("thumbs CLIP --profile zip -o x", 64, "scrub: there is no profile 'zip' (use one or more of web"),
        Row("poster CLIP -o x.z", 64, "scrub: the picture format of 'x.z' is unknown (use a name"),
        Row("see CLIP 0", 64, "there is no command 'see' (did you mean seek? scrub help lists all commands)"),
        Row("Verify CLIP", 64, "there is no command 'Verify' (did you mean verify?"),
        Row("frobnicate CLIP", 64, "there is no command 'frobnicate' (scrub help lists all commands)"),
        Row(
            "a.mp4", 64,
            "'a.mp4' is not a command (specify a command, such as scrub seek 'a.mp4' 50%; scrub help lists all commands)"
        ),
        Row("info -", 66, "(standard input is not supported: save the video to a file first)"),
        Row(
            "info ftp://host/a.mp4", 66,
            "(addresses must begin with http:// or https://; for any other address, download the file first)"),
    ]

    /// Runs the program in a folder, with the clip for `CLIP`.
    private func run(_ words: [String], in folder: TemporaryFolder, _ clip: String = "h264-bf3.mp4") throws
        -> Tool.Result
    {
        let words = words.map { $0 == "CLIP" ? Clip.folder + "/clips/" + clip : $0 }
        return try Tool.run(
            "sh", ["-c", "cd \"$0\" && exec \"$@\"", folder.path, CommandTests.program] + words,
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
    }

    @Test(arguments: options) private func saysWhatIsWrongAndWhatToWrite(_ row: Row) throws {
        let folder = try TemporaryFolder()
        let result = try run(row.words, in: folder)
        #expect(result.status == row.status && result.errors.contains(row.text), "\(result.errors)")
        // One label, once; and nothing is left behind.
        #expect(result.errors.hasPrefix("scrub: ") && !result.errors.contains("Error:"), "\(result.errors)")
        #expect(folder.contents.filter { $0 != "cache" } == [], "\(folder.contents)")
    }

    /// Damaged and refused files: each of these texts ends with the remedy.
    @Test(arguments: Clip.all.filter { $0.kind == .refused }.map(\.file))
    func refusedFilesSayWhatToDo(_ clip: String) throws {
        let result = try run(["info", "CLIP"], in: try TemporaryFolder(), clip)
        let lines = result.errors.split(separator: "\n")
        #expect(
            lines.count == 1 && lines.allSatisfy { $0.hasPrefix("scrub: ") && $0.hasSuffix(")") }, "\(result.errors)")
        #expect(!result.errors.contains("Invalid data found"), "\(result.errors)")
    }

    /// Pages that servers send in a missing file's place, and that browsers save of a player's page.
    @Test(arguments: [
        "<!DOCTYPE html><title>Not found</title>", "\u{FEFF}\n <!-- saved -->\n<HTML lang='en'>",
        "<!-- a comment without an end",
        "<body>",
    ])
    func webPagesAreNoVideos(_ page: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(page.utf8, to: "v.mp4")
        let result = try run(["info", "v.mp4"], in: folder)
        #expect(result.status == 65, "\(result.errors)")
        #expect(result.errors.contains("v.mp4: is a web page, not a video (open the video itself;"), "\(result.errors)")
    }

    @Test func certificatesAreReadBeforeTheFirstRequest() throws {
        let folder = try TemporaryFolder()
        try folder.write("no certificate".utf8, to: "c.pem")
        let result = try run(["info", "https://127.0.0.1:1/x", "--cacert", "c.pem"], in: folder)
        #expect(result.status == 65, "\(result.errors)")
        #expect(result.errors.contains("c.pem: does not contain a certificate (use a PEM file"), "\(result.errors)")
    }

    /// A guess that lies outside as well does not help.
    @Test func guessesLieInTheFilm() throws {
        let folder = try TemporaryFolder()
        for (position, words) in [
            ("2", "0 to 1 (did you mean 2s, 2% or f2? use --clamp"),
            ("150", "0 to 1 (write a fraction from 0 to 1; use --clamp"),
            ("99", "0 to 1 (did you mean 99% or f99? use --clamp"), ("300%", "0% to 100% (write a fraction"),
            ("-300", "0 to 1 (write a fraction"),
        ] {
            let result = try run(["seek", "CLIP", position], in: folder, "audio-first.mp4")
            #expect(result.status == 64 && result.errors.contains(words), "\(position): \(result.errors)")
        }
    }

    @Test func anUnreadableLimitOfTheCacheIsReported() throws {
        let folder = try TemporaryFolder()
        let clip = Clip.folder + "/clips/h264-bf3.mp4"
        for (limit, isSaid) in [("x", true), ("10 G", true), ("20G", false)] {
            let result = try Tool.run(
                CommandTests.program, ["info", clip],
                environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache"), "SCRUB_CACHE_LIMIT": limit])
            #expect(
                result.status == 0 && result.errors.contains("SCRUB_CACHE_LIMIT '\(limit)'") == isSaid,
                "\(result.errors)")
        }
    }

    private static let scripts: [(String, String)] = [
        ("", "it is not valid JSON"), ("[]", "expected an object { … }"), ("{}", "'width' is missing"),
        ("{\"width\":\"a\",\"begin\":\"0\",\"events\":[]}", "expected a number in width"),
        ("{\"width\":1,\"begin\":0.4,\"events\":[]}", "expected a string in quotation marks in begin"),
        ("{\"width\":1,\"begin\":\"0\",\"events\":3}", "expected a list [ … ] in events"),
        (
            "{\"width\":1,\"begin\":\"0\",\"events\":[{\"ms\":0,\"phase\":\"began\",\"dx\":\"a\"}]}",
            "expected a number in events.0.dx"
        ),
        ("{\"width\":0,\"begin\":\"0\",\"events\":[]}", "width: it is not above 0 (set it to the number of points"),
        ("{\"width\":1,\"begin\":\"0\",\"events\":[]}", "events: the list is empty (begin with an event"),
    ]

    @Test(arguments: scripts) func faultsOfGestureScriptsAreSaidInWords(_ script: String, _ text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(script.utf8, to: "g.json")
        let result = try run(["gesture", "CLIP", "--script", "g.json"], in: folder)
        #expect(result.status == 65 && result.errors.hasPrefix("scrub: g.json: "), "\(result.errors)")
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    /// No result overwrites its video, under whatever name.
    @Test(arguments: [
        "play v.mp4 --y4m v.mp4", "play v.mp4 --raw ./v.mp4", "play v.mp4 --y4m a.y4m --times v.mp4",
        "seek v.mp4 0 --format png -o v.mp4", "seek v.mp4 0 -o link.png", "sheet v.mp4 -o link.png",
        "poster v.mp4 -o link.png",
    ])
    func theVideoItselfIsRefusedAsOutput(_ words: String) throws {
        let folder = try TemporaryFolder()
        let bytes = try Data(contentsOf: URL(filePath: Clip.folder + "/clips/h264-bf3.mp4"))
        try folder.write(bytes, to: "v.mp4")
        #expect(link(folder.path(of: "v.mp4"), folder.path(of: "link.png")) == 0)
        let result = try run(words.split(separator: " ").map(String.init), in: folder)
        #expect(result.status == 64, "\(result.errors)")
        #expect(
            result.errors.contains("is an input file, and would be overwritten (give the output another name)")
        )
        #expect(
            try folder.bytes("v.mp4") == bytes && folder.contents.filter { $0 != "cache" } == ["link.png", "v.mp4"])
    }

    /// A target that is not a regular file stays as it is: a file in its place would take it away from all other
    /// programs.
    @Test func pipesAreWrittenIntoAndStay() throws {
        let folder = try TemporaryFolder()
        let clip = Clip.folder + "/clips/h264-bf3.mp4"
        let words =
            "mkfifo pipe && { cat pipe > got & } && \"$1\" seek \"$2\" 0 --no-cache -o pipe --format png && wait"
        let result = try Tool.run("sh", ["-c", "cd \"$0\" && " + words, folder.path, CommandTests.program, clip])
        #expect(result.status == 0, "\(result.errors)")
        let piped = try run(["seek", "CLIP", "0", "-o", "-", "--format", "png"], in: folder).bytes
        #expect(try folder.bytes("got") == piped && !piped.isEmpty)
        var facts = stat()
        #expect(lstat(folder.path(of: "pipe"), &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO)
    }
}
