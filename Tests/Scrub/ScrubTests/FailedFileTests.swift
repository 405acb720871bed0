import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// A file that failed has its object too, in the order of the files.
@Suite struct FailedFileTests {
    private let clip = Clip.folder + "/clips/h264-bf3.mp4"

    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test(arguments: [["info"], ["verify", "--sample", "4"], ["bench", "--requests", "2"]])
    func aFailedFileHasItsObject(_ command: [String]) throws {
        let folder = try TemporaryFolder()
        let broken = try folder.write(Array("no film".utf8), to: "broken.mp4")
        let result = try Tool.run(
            CommandTests.program,
            [command[0], clip, "/nowhere.mp4", broken, clip, "--json"] + command.dropFirst(),
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
        #expect(result.status == 66, "\(result.errors)")
        let rows = try objects(result.output)
        try #require(rows.map { $0["file"] as? String } == [clip, "/nowhere.mp4", broken, clip])
        #expect(rows.map { $0["exit"] as? Int } == [nil, 66, 65, nil])
        #expect(rows[0]["error"] == nil && rows[3]["error"] == nil)
        for row in rows[1...2] {
            let error = try #require(row["error"] as? String)
            #expect(result.errors.contains("scrub: \(error)\n"), "\(error)")
        }
        // People read it on standard error alone.
        let text = try Tool.run(
            CommandTests.program, [command[0], "/nowhere.mp4"] + command.dropFirst(),
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache")])
        #expect(text.output.isEmpty && text.status == 66)
    }

    @Test func soundIsAboutSound() throws {
        let folder = try TemporaryFolder()
        #expect(
            try Tool.run(CommandTests.program, ["strip", clip, "--count", "3", "-o", folder.path(of: "s")]).status == 0)
        let result = try Tool.run(
            CommandTests.program, ["verify-set", folder.path(of: "s"), "--against", clip, "--json"])
        let row = try #require(try objects(result.output).first)
        #expect(row["valid"] as? Bool == true && row["sound"] == nil, "\(result.output)")
    }
}
