import ScrubFileIO
import Foundation
import Glibc
import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct FileSourceTests {
    private func refusal(_ path: String) -> ScrubError? {
        let error = #expect(throws: ScrubError.self) { _ = try FileSource(path: path) }
        #expect(error?.file == path)
        return error
    }

    @Test(arguments: ["", "\0", "a\0b", "/dev/null\0", "/dev/null", "/dev/zero", "/", "/no/such/file", "/dev/null/x"])
    func refusesOtherThanRegularFiles(path: String) {
        #expect(refusal(path)?.code == .noInput)
    }

    @Test func refusesDirectoriesPipesAndMissingFiles() throws {
        let directory = try TemporaryFolder()
        #expect(refusal(directory.path)?.code == .noInput)
        #expect(refusal(directory.path)?.cause == "is a directory")
        #expect(refusal(directory.path(of: "nothing"))?.code == .noInput)
        // Opening a pipe without a writer must not wait.
        #expect(mkfifo(directory.path(of: "pipe"), 0o600) == 0)
        #expect(refusal(directory.path(of: "pipe"))?.code == .noInput)
    }

    @Test func refusedFilesAreClosedAgain() throws {
        let directory = try TemporaryFolder()
        #expect(refusal(directory.path)?.cause == "is a directory")
        let files = FileManager.default
        let open = try files.contentsOfDirectory(atPath: "/proc/self/fd").filter {
            (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == directory.path
        }
        #expect(open == [])
    }

    @Test func readsUpToTheEdges() throws {
        let directory = try TemporaryFolder()
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let source = try FileSource(path: directory.write(bytes, to: "a"))
        #expect(source.byteCount == 1000)
        #expect(try source.read(at: 0, count: 1000) == bytes)
        #expect(try source.read(at: 999, count: 1) == [bytes[999]])
        #expect(try source.read(at: 0, count: 0) == [])
        #expect(try source.read(at: 1000, count: 0) == [])
        for (offset, count) in [
            (Int64(0), 1001), (1000, 1), (999, 2), (-1, 1), (-1, 0), (1001, 0), (0, -1), (.max, 1), (.min, 1),
            (1, Int.max), (0, .min),
        ] {
            let error = #expect(throws: ScrubError.self) { try source.read(at: offset, count: count) }
            #expect(error?.code == .badData)
            #expect(error?.file == source.path)
        }
    }

    @Test func countsWhatReadsCost() throws {
        let directory = try TemporaryFolder()
        let source = try MediaSource(path: directory.write([UInt8](repeating: 1, count: 500), to: "a"))
        #expect(source.cost == (0, 0))
        _ = try source.read(at: 10, count: 100)
        #expect(source.cost == (100, 1))
        _ = try source.read(at: 0, count: 0)
        _ = try? source.read(at: 0, count: 501)
        #expect(source.cost == (100, 1))
        _ = try source.read(at: 0, count: 500)
        #expect(source.cost == (600, 2))
    }

    @Test func anEmptyFileIsAFile() throws {
        let directory = try TemporaryFolder()
        let source = try FileSource(path: directory.write([], to: "empty"))
        #expect(source.byteCount == 0)
        #expect(try source.read(at: 0, count: 0) == [])
        #expect(throws: ScrubError.self) { try source.read(at: 0, count: 1) }
    }

    @Test func aFileCutWhileOpenIsBadData() throws {
        let directory = try TemporaryFolder()
        let path = try directory.write([UInt8](repeating: 1, count: 500), to: "a")
        let source = try FileSource(path: path)
        #expect(truncate(path, 100) == 0)
        let error = #expect(throws: ScrubError.self) { try source.read(at: 50, count: 100) }
        #expect(error?.code == .badData)
        #expect(try source.read(at: 0, count: 100).count == 100)
    }

    @Test func identityTellsStatesApart() throws {
        let directory = try TemporaryFolder()
        let path = try directory.write([1, 2, 3], to: "a")
        try directory.age("a", to: 1_000_000_000)
        let first = try FileSource(path: path).identity
        #expect(first == FileSource.Identity(byteCount: 3, modified: 1_000_000_000_000_000_000))
        try directory.age("a", to: 1_000_000_001)
        #expect(try FileSource(path: path).identity != first)
        try directory.write([1, 2, 3, 4], to: "a")
        try directory.age("a", to: 1_000_000_000)
        #expect(try FileSource(path: path).identity != first)
    }

    @Test func severalTasksReadAtOnce() async throws {
        let directory = try TemporaryFolder()
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let source = try FileSource(path: directory.write(bytes, to: "a"))
        let isRight = try await withThrowingTaskGroup(of: Bool.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    var random = SplitMix(UInt64(seed))
                    for _ in 0..<50 {
                        let offset = Int.random(in: 0..<10_000, using: &random)
                        let count = Int.random(in: 0...10_000 - offset, using: &random)
                        guard
                            try source.read(at: Int64(offset), count: count)
                                == Array(bytes[offset..<offset + count])
                        else { return false }
                    }
                    return true
                }
            }
            return try await group.reduce(true) { $0 && $1 }
        }
        #expect(isRight)
    }
}
