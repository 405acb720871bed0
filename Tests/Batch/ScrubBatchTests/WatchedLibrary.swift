import ScrubFileIO
import Foundation
import Glibc
import ScrubBase
import ScrubTestSupport

@testable import ScrubBatch

/// A library that is followed, with clocks of its own: nothing here waits.
final class WatchedLibrary {
    let library: BatchLibrary
    let watch: BatchWatch
    private let clock: Locked<Int64>
    private let outcomes = Locked<[BatchOutcome]>([])
    private let words = Locked<[ScrubError]>([])
    private let removed = Locked<[String]>([])

    /// - Parameters:
    ///   - age: seconds that the films seem to have lain there when it begins.
    init(
        _ clips: [String] = ["h264-bf3.mp4"], work: BatchWork? = nil, age: Int64 = 100, deletesGone: Bool = false,
        hears: Bool = true, library: BatchLibrary? = nil, roots: [String]? = nil,
        isOwn: (@Sendable (String) -> Bool)? = nil
    ) throws {
        let library = try library ?? BatchLibrary(clips)
        self.library = library
        let clock = Locked<Int64>(1_000_000)
        self.clock = clock
        var options = BatchWatch.Options()
        options.deletesGone = deletesGone
        options.clock = { clock.withLock { $0 } }
        options.wallClock = { BatchClock.now + age + (clock.withLock { $0 } - 1_000_000) / 1000 }
        if !hears { options.hears = { _ in false } }
        var listener = BatchWatch.Listener { [outcomes] outcome in outcomes.withLock { $0.append(outcome) } }
        listener.say = { [words] word in words.withLock { $0.append(word) } }
        listener.removed = { [removed] _, place in removed.withLock { $0.append(place) } }
        var batch = library.options()
        batch.isOwn = isOwn
        let found = (roots ?? [library.films]).map { path in
            WatchRoot(path: path, prefix: roots == nil ? "" : (path as NSString).lastPathComponent + "/")
        }
        watch = try BatchWatch(batch, work ?? library.sheets, found, options, listener: listener)
    }

    var films: String { library.films }

    /// Lets time go by.
    func pass(seconds: Int64) {
        clock.withLock { $0 += seconds * 1000 }
        library.clock.withLock { $0 += seconds }
    }

    /// Takes what has happened, and does what is due. - Returns: what came of films, by their places.
    @discardableResult
    func step() throws -> [String: BatchOutcome.Status] {
        outcomes.withLock { $0 = [] }
        _ = try watch.step()
        return Dictionary(outcomes.withLock { $0 }.map { ($0.file.place, $0.status) }) { _, last in last }
    }

    /// Goes on for some seconds, a look each second. - Returns: what came of films.
    @discardableResult
    func follow(seconds: Int64) throws -> [String: BatchOutcome.Status] {
        var all = try step()
        for _ in 0..<seconds {
            pass(seconds: 1)
            all.merge(try step()) { $1 }
        }
        return all
    }

    /// Returns the words since the last call.
    func takeWords() -> [String] {
        words.withLock { words in
            defer { words = [] }
            return words.map(\.cause)
        }
    }

    func takeRemoved() -> [String] {
        removed.withLock { removed in
            defer { removed = [] }
            return removed.sorted()
        }
    }

    /// Returns the films that were worked on since the last call.
    func takeWorked() -> [String] {
        library.worked.withLock { worked in
            defer { worked = [] }
            return worked.sorted()
        }
    }

    var warnings: [String] { outcomes.withLock { $0.flatMap(\.warnings) } }

    static func bytes(_ clip: String) throws -> Data {
        try Data(contentsOf: URL(filePath: BatchLibrary.clips + "/" + clip))
    }

    func make(folder name: String) throws {
        try FileManager.default.createDirectory(atPath: films + "/" + name, withIntermediateDirectories: true)
    }

    func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: films + "/" + name, toPath: films + "/" + other)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: films + "/" + name) }

    func hasResult(_ place: String) -> Bool {
        BatchRecord.read(in: library.results + "/" + place)?.status == "done"
    }
}

/// A file that is written bit by bit and stays open.
final class SlowWriter {
    private let handle: FileHandle
    private let bytes: Data
    private var place = 0

    init(_ path: String, _ bytes: Data, reserves: Bool = false) throws {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        handle = try opened(FileHandle(forWritingAtPath: path))
        self.bytes = bytes
        if reserves { try handle.truncate(atOffset: UInt64(bytes.count)) }
        try handle.seek(toOffset: 0)
    }

    /// Writes so many more bytes.
    func write(_ count: Int) throws {
        let end = min(bytes.count, place + count)
        try handle.write(contentsOf: bytes[place..<end])
        place = end
    }

    func finish() throws {
        try write(bytes.count)
        try handle.close()
    }
}

private struct NotThere: Error {}

private func opened<Value>(_ value: Value?) throws -> Value {
    guard let value else { throw NotThere() }
    return value
}
