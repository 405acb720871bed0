import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// With `--json`, what failed has an object too: each position in its place, and a file that cannot be opened.
@Suite struct SeekFaultTests {
    private let clip = Clip.folder + "/clips/h264-bf3.mp4"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func scrub(_ words: String...) throws -> (status: Int32, rows: [[String: Any]], errors: String) {
        let result = try Tool.run(
            CommandTests.program, words, environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
        let rows = try result.output.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        return (result.status, rows, result.errors)
    }

    @Test func eachPositionHasItsObject() throws {
        let found = try scrub(
            "seek", clip, "f1", "f999", "50%", "nonsense", "f3..f2", "5", "f2..f3", "--json", "--hash")
        #expect(found.status == 64)
        #expect(
            found.rows.map { $0["requested"] as? String } == [
                "f1", "f999", "50%", "nonsense", "f3..f2", "5", "f2..f3", "f2..f3",
            ])
        #expect(found.rows.map { $0["frame"] as? Int } == [1, nil, 50, nil, nil, nil, 2, 3])
        for row in found.rows where row["frame"] == nil {
            #expect(row["exit"] as? Int == 64)
            let (error, hint) = (try #require(row["error"] as? String), try #require(row["hint"] as? String))
            #expect(error.hasSuffix("(\(hint))") && found.errors.contains(": \(error)\n"), "\(error): \(found.errors)")
        }
        #expect(found.rows[0]["hash"] is String && found.rows[0]["error"] == nil)
    }

    /// Without objects nothing is answered, as ever: what is wrong is told first.
    @Test func peopleAreToldFirst() throws {
        let result = try Tool.run(CommandTests.program, ["seek", clip, "f1", "f999", "--no-cache"])
        #expect(result.status == 64 && result.output.isEmpty && result.errors.contains("no frame 999"))
        // Pictures on standard output leave no room for objects.
        let piped = try Tool.run(
            CommandTests.program, ["seek", clip, "f1", "f999", "-o", "-", "--format", "rgb", "--json", "--no-cache"])
        #expect(piped.status == 64 && piped.bytes.isEmpty)
    }

    @Test(arguments: [["seek", "f1", "f2"], ["plan", "f1"], ["frames"], ["index"]])
    func aFileThatCannotBeOpenedHasOne(_ verb: [String]) throws {
        let broken = try folder.write(Array("no film".utf8), to: "broken.mp4")
        for (path, code) in [("/nowhere.mp4", 66), (broken, 65)] {
            let result = try Tool.run(
                CommandTests.program, [verb[0], path] + verb.dropFirst() + ["--json"],
                environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
            #expect(result.status == code)
            let row = try #require(
                JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any], "\(verb)")
            #expect(row["file"] as? String == path && row["exit"] as? Int == code && row["hint"] is String)
            #expect(result.errors == "scrub: \(row["error"] as? String ?? "")\n")
        }
    }

    @Test func aPositionThatHasNoFrameHasOneInPlan() throws {
        for (position, key) in [("nonsense", "requested"), ("f999", "file")] {
            let found = try scrub("plan", clip, position, "--json")
            #expect(found.status == 64 && found.rows.count == 1 && found.rows[0][key] is String)
            #expect(found.rows[0]["error"] is String && found.rows[0]["hint"] is String)
        }
    }

    /// A picture that cannot be decoded is told by its row, and not once more.
    @Test func rowsTellOfDamage() throws {
        let bad = try #require(Clip.all.first { $0.file == "truncated.mkv" }?.file)
        let found = try scrub("seek", Clip.folder + "/clips/" + bad, "first..last", "--json")
        #expect(found.rows.allSatisfy { $0["error"] == nil && $0["verdict"] is String })
    }
}
