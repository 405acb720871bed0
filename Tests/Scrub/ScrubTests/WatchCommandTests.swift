import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// `scrub batch --watch` as it is typed: its refusals, its end, and its port.
@Suite struct WatchCommandTests {
    // The port is scrub-view's, which lies beside the program that was built with it.
    private func shell(_ script: String, _ arguments: [String]) throws -> Tool.Result {
        try Tool.run(
            "bash", ["-c", script, CommandTests.builtProgram] + arguments,
            environment: ["SCRUB_CACHE_DIR": "/dev/null/scrub"])
    }

    private func films() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path(of: "films"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Clip.folder + "/clips/h264-bf3.mp4", toPath: folder.path(of: "films/one.mp4"))
        return folder
    }

    @Test func unfollowableRootsAreRefused() throws {
        let folder = try films()
        try folder.write(Array("films/one.mp4\n".utf8), to: "list.txt")
        let cases: [([String], String)] = [
            (["films", "--watch", "--dry-run"], "--dry-run"), (["list.txt", "--watch"], "is not a folder"),
            (["list.txt", "--delete-gone"], "is not a folder"),
            (["films/one.mp4", "--watch"], "is not a folder"), (["films", "--settle", "3"], "--watch"),
            (["films", "--watch", "--settle", "-1"], "--settle"),
            (["films", "--metrics-host", "::1"], "--metrics-port"),
            (["films", "--metrics-port", "65536"], "--metrics-port"),
        ]
        for (words, text) in cases {
            let result = try shell(
                "cd \"$1\" && shift && exec \"$0\" batch \"$@\" --profile web --to out --state state",
                [folder.path] + words)
            #expect(result.status == 64 && result.errors.contains(text), "\(words): \(result.errors)")
            #expect(folder.contents == ["films", "list.txt"], "\(words)")
        }
        let missing = try shell(
            "cd \"$1\" && exec \"$0\" batch nothing --watch --profile web --to out --state state", [folder.path])
        #expect(missing.status == 66, "\(missing.errors)")
    }

    /// The commands wait for the other program's words, and for nothing else. Test runners block signals, and shells
    /// ignore SIGINT in programs that run beside them: both would be inherited.
    private static let begin = """
        cd "$1"
        env --default-signal=INT,TERM "$0" batch films --profile web --to out --state state --watch --settle 0 --json \
            $2 > json 2> err &
        pid=$!
        has() { until grep -q "$2" "$1"; do kill -0 $pid || { cat err; exit 1; }; sleep 0.02; done; }
        has json one.mp4

        """

    @Test(arguments: ["INT", "TERM"]) func aSignalWhileItWaitsIsItsEnd(_ signal: String) throws {
        let folder = try films()
        let script =
            Self.begin + """
                cp films/one.mp4 films/.two; mv films/.two films/two.mp4
                has json two.mp4
                head -c 9000 films/one.mp4 > films/half.mp4
                kill -\(signal) $pid; wait $pid; echo $?; cat json
                """
        let result = try shell(script, [folder.path, ""])
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "0", "\(result.output) \(result.errors)")
        let rows = try lines.dropFirst().map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(rows.prefix(2).map { $0["place"] as? String } == ["one.mp4", "two.mp4"])
        #expect(rows.prefix(2).allSatisfy { $0["status"] as? String == "done" })
        let summary = try #require(rows.last?["summary"] as? [String: Any])
        #expect(rows.count == 3 && summary["done"] as? Int == 2 && summary["failed"] as? Int == 0)
    }

    /// Killed, and begun again: finished work is not done again.
    @Test func aKilledWatchGoesOn() throws {
        let folder = try films()
        let script =
            Self.begin + """
                kill -9 $pid; wait $pid
                cp films/one.mp4 films/two.mp4
                "$0" batch films --profile web --to out --state state --json
                """
        let result = try shell(script, [folder.path, ""])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("\"done\":1,\"kept\":1"), "\(result.output)")
        #expect(TemporaryFolder.names(folder.path(of: "out")) == [".scrub-batch", "one.mp4", "two.mp4"])
    }

    @Test func thePortGivesTheMetricsAndNothingElse() throws {
        let folder = try films()
        let script =
            Self.begin + """
                port=$(sed -n 's|.*http://127.0.0.1:\\([0-9]*\\)/metrics.*|\\1|p' err)
                ask() { exec 3<>/dev/tcp/127.0.0.1/$port; printf "$1 HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n$2\\r\\n" >&3; cat <&3; exec 3>&-; echo; echo ----; }
                ask "GET /metrics"; ask "HEAD /metrics"; ask "GET /"; ask "GET /metrics/x"; ask "POST /metrics" "Content-Length: 0\\r\\n"
                ask "GET /metrics?x=1"; ask "GET /metrics" "Content-Length: 5\\r\\n"; ask "rubbish"; ask "GET /metrics" "$(printf 'X: %020000d' 0)\\r\\n"
                # What others hold open keeps no collector from its answer.
                for n in {4..18}; do eval "exec $n<>/dev/tcp/127.0.0.1/$port"; done; printf 'GET /metr' >&4; ask "GET /metrics"
                # The port is taken now: nothing is begun.
                "$0" batch films --profile web --to other --state other.sqlite --watch --metrics-port $port; echo "taken: $?"
                kill -TERM $pid; wait $pid; echo "end: $?"
                """
        let result = try shell(script, [folder.path, "--metrics-port 0"])
        let answers = result.output.components(separatedBy: "----\n")
        try #require(answers.count == 11, "\(result.output) \(result.errors)")
        #expect(
            answers.dropLast().map { $0.split(separator: " ").dropFirst().first.map(String.init) } == [
                "200", "200", "404", "404", "405", "200", "413", "400", "431", "200",
            ])
        for number in [0, 5, 9] {
            #expect(answers[number].contains("text/plain; version=0.0.4"))
            #expect(answers[number].contains("\nscrub_batch_files_total{status=\"done\"} 1\n"))
            #expect(answers[number].contains("\nscrub_batch_running 1\n"))
        }
        #expect(!answers[1].contains("scrub_batch"))
        #expect(answers[10] == "taken: 69\nend: 0\n")
        #expect(result.errors.contains("cannot listen on") && !folder.contents.contains("other"))
    }
}
