import Foundation
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Every output of every command, onto the film that it reads: the table finds the options by itself.
@Suite struct OutputTableTests {
    private static let script = Repository.root + "/Tests/Programs/Outputs/outputs.py"

    @Test func noOutputDestroysTheFilmThatIsRead() throws {
        let result = try Tool.run(
            "python3", [Self.script, CommandTests.program, Clip.folder + "/clips/colour-709.mp4"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
}
