import Foundation
import ScrubTestSupport
import Testing

/// What the last version promised (`docs/stability.md`) is still there, as its lists in `docs/api` have it.
@Suite struct CompatibilityTests {
    private static let script = Repository.root + "/docs/tools/compatibility.py"

    /// Every verb over clips: JSON keys and types, exit codes, options. The viewer too, where it was built.
    @Test func thePromisesOfTheLastVersionAreKept() throws {
        let viewer = URL(filePath: CommandTests.program).deletingLastPathComponent().appending(path: "scrub-view").path
        let more = FileManager.default.isExecutableFile(atPath: viewer) ? ["--viewer", viewer] : []
        let result = try Tool.run("python3", [Self.script, "--program", CommandTests.program] + more)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }

    /// A break planted in each list is found, and additions pass.
    @Test func aBreakInAnyListIsFound() throws {
        let result = try Tool.run("python3", [Self.script, "--self-test"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
}
