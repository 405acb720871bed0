import ScrubBatchLogic
import Foundation

// The cost of a million films and a petabyte, by simulation: docs/scale.md has the output.
//
//     swift run -c release scrub-scale-simulation [FILES [SEED [SECTION…]]]
//     swift run -c release scrub-scale-simulation fit SAMPLES

let words = CommandLine.arguments.dropFirst().map { $0 }
if words.count == 2, words[0] == "fit" {
    try Fit(path: words[1]).run()
    exit(0)
}
let count = words.first.flatMap { Int($0) } ?? 1_000_000
let seed = words.dropFirst().first.flatMap { UInt64($0) } ?? 18
let sections = Set(words.dropFirst(2))
let report = Report(count: count, seed: seed, bytes: 1e9 * Double(count))
for (name, section) in report.sections where sections.isEmpty || sections.contains(name) {
    let start = Date()
    print("\n## \(name)\n")
    try section()
    FileHandle.standardError.write(Data("\(name): \(String(format: "%.1f", Date().timeIntervalSince(start))) s\n".utf8))
}
