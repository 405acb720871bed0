import Foundation
import ScrubFuzzBodies
import ScrubTestSupport
import Testing

/// The findings of the fuzzers, and inputs that reach the corners: every kept file through its reader.
@Suite struct ReplayTests {
    private static let folder = URL(filePath: Repository.root + "/Fuzz/Corpus")

    private static func files(_ entry: FuzzEntry) throws -> [URL] {
        let place = folder.appending(path: entry.rawValue)
        return try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    @Test(arguments: FuzzEntry.allCases) func nothingIsFoundAgain(_ entry: FuzzEntry) throws {
        let files = try Self.files(entry)
        #expect(!files.isEmpty, "nothing is kept for \(entry.rawValue)")
        for file in files {
            #expect(throws: Never.self, "\(file.lastPathComponent)") {
                try entry.check(Array(try Data(contentsOf: file)))
            }
        }
    }

    /// No bytes at all, and a few of each value, which no corpus needs to hold.
    @Test(arguments: FuzzEntry.allCases) func theSmallestInputs(_ entry: FuzzEntry) throws {
        try entry.check([])
        for byte in UInt8.min...UInt8.max {
            for count in 1...3 { try entry.check([UInt8](repeating: byte, count: count)) }
        }
    }
}
