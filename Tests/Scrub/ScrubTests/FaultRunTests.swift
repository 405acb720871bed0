import Foundation
import ScrubTestSupport
import Testing

/// A few of the faults of `Tests/Programs/Faults/faults.sh`, chosen at random: failing calls, files that change,
/// signals.
///
/// The seed is printed with the failures.
@Suite struct FaultRunTests {
    private static let script = Repository.root + "/Tests/Programs/Faults/run.py"

    @Test(arguments: [
        ("faults", "strip png,index mp4,convert to hls", "4"), ("changes", "batch mp4", "10"),
        ("signals", "strip,posters", "6"),
    ])
    func aFewFaults(_ part: String, _ cases: String, _ count: String) throws {
        let result = try Tool.run(
            "python3", [Self.script, CommandTests.program, "--parts", part, "--only", cases, "--sample", count])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
}
