import ScrubSourcesLogic
import Glibc
import ScrubHTTPTransport
import ScrubMediaCache
import ScrubBase
import ScrubSources
import Synchronization
import ScrubTestSupport

/// A walk of random steps over two processes that read three media through one cache, beside a model that knows the
/// possible values of each byte.
///
/// The model: each content a medium ever had, which contents may still be taken from the cache unasked, and which media
/// may fail.
final class CacheWalk {
    /// The walk's finding of a fault.
    struct Finding: Error, CustomStringConvertible {
        let description: String
    }

    private struct Opened {
        let file: RemoteFile
        let total: Int64
        /// The contents that everything it gave so far can be of.
        var contents: Set<ModelOrigin.Content>
    }

    private final class Process {
        let files: ModelFiles
        let cache: MediaCache
        var opened: [Int: Opened] = [:]
        /// Whether its disk has failed.
        var isSick = false

        init(
            _ path: String, _ disk: ModelDisk, _ limits: MediaCacheLimits, clock: @escaping @Sendable () -> Int64
        ) throws {
            files = ModelFiles(disk)
            var surroundings = MediaCache.Surroundings()
            surroundings.files = files
            surroundings.clock = clock
            cache = try MediaCache(path: path, limits: limits, surroundings: surroundings)
        }
    }

    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_700_000_000)
    }

    private var random: SplitMix
    private let folder: TemporaryFolder
    private let clock = Clock()
    private let disk = ModelDisk()
    private let limits: MediaCacheLimits
    private let options: NetworkOptions
    private let urls: [RemoteURL]
    private let origins: [ModelOrigin]
    private var processes: [Process] = []
    /// The validators that may be known of each medium.
    private var kinds: [Set<ModelOrigin.Kind>] = [[.strong], [.strong], [.strong]]
    /// Contents that may be taken from the cache without asking: those read since the last time that everything
    /// expired.
    private var fresh: [Set<ModelOrigin.Content>]
    private var seeds: UInt64
    /// Failures of each medium since it changed. Each process may find that out once, and once more a change that
    /// another one found in between. Opening a medium again for ever and always finding it changed is an error.
    private var failures = [mostFailures, mostFailures, mostFailures]
    private static let mostFailures = 6
    /// Media whose next answers are in trouble.
    private var troubled: Set<Int> = []
    private(set) var counts: [String: Int] = [:]
    /// The history of each medium, for findings.
    private var history: [[String]] = [[], [], []]
    private var number = 0

    init(seed: UInt64) throws {
        random = SplitMix(seed)
        seeds = seed
        folder = try TemporaryFolder()
        var limits = MediaCacheLimits()
        limits.byteLimit = 700_000
        limits.freeSpaceFloor = 0
        limits.timeToLive = 1000
        self.limits = limits
        var options = NetworkOptions()
        options.readTimeout = .seconds(5)
        self.options = options
        urls = try (0..<3).map { try RemoteURL("http://origin.example/\($0)") }
        origins = (0..<3).map {
            ModelOrigin(ModelOrigin.Content(seed: seed &+ UInt64($0), total: 120_000 + Int64($0) * 70_000))
        }
        fresh = [[], [], []]
        processes = [try makeProcess(), try makeProcess()]
    }

    private func makeProcess() throws -> Process {
        let clock = clock
        return try Process(folder.path, disk, limits) { clock.seconds.load(ordering: .relaxed) }
    }

    // MARK: Steps

    func step() throws {
        number += 1
        let process = processes[Int.random(in: 0..<2, using: &random)]
        let medium = Int.random(in: 0..<3, using: &random)
        switch Int.random(in: 0..<1000, using: &random) {
        case 0..<900: try read(process, medium)
        case 900..<925: count("change") { change(medium) }
        case 925..<935: count("kind") { changeKind(medium) }
        case 935..<960: count("close") { close(process, medium) }
        case 960..<966: count("expire") { expire() }
        case 966..<972: count("trouble") { trouble(medium) }
        case 972..<980: count("fail") { fail(process) }
        case 980..<987: try count("kill") { try kill([process]) }
        case 987..<990: try count("power") { try kill(processes) }
        case 990..<994: try count("evict") { try evict() }
        default: try count("check") { try check() }
        }
    }

    private func count<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        counts[name, default: 0] += 1
        if !["read", "failed", "changed", "close", "change", "kind"].contains(name) {
            for medium in 0..<3 { history[medium].append("\(number) \(name)") }
        }
        return try body()
    }

    private func read(_ process: Process, _ medium: Int) throws {
        let origin = origins[medium]
        let current = origin.withState(\.content)
        let wasOpen = process.opened[medium] != nil
        do {
            let opened = try process.opened[medium] ?? open(process, medium)
            let offset = Int64.random(in: 0..<opened.total, using: &random)
            let most = min(opened.total - offset, 1 << Int64.random(in: 0...16, using: &random))
            let range = offset..<offset + Int64.random(in: 1...most, using: &random)
            if random.isOne(in: 8) { opened.file.prefetch(prefetches(opened.total)) }
            let bytes = try opened.file.read(at: range.lowerBound, count: range.count)
            try judge(bytes, range, process, medium, current, wasOpen)
            count("read") {}
        } catch let error as ScrubError {
            close(process, medium)
            failures[medium] += 1
            guard failures[medium] <= Self.mostFailures || troubled.contains(medium) || process.isSick else {
                throw Finding(
                    description: "medium \(medium) failed without a reason: \(error); \(history[medium].suffix(16))")
            }
            history[medium].append("\(number) \(process === processes[0] ? 0 : 1) \(error.cause)")
            if error.description.contains("changed") { count("changed") {} } else { count("failed") {} }
            origin.settle()
            if origin.withState({ $0.troubles.isEmpty }) { troubled.remove(medium) }
        }
    }

    private func prefetches(_ total: Int64) -> [Range<Int64>] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            let start = Int64.random(in: 0..<total, using: &random)
            return start..<min(total, start + Int64.random(in: 1...20_000, using: &random))
        }
    }

    private func open(_ process: Process, _ medium: Int) throws -> Opened {
        let file = try RemoteFile(urls[medium], options: options, cache: process.cache, client: origins[medium])
        let total = file.byteCount
        guard total > 0 else {
            _ = try file.read(at: 0, count: 1); throw Finding(description: "no length and no error")
        }
        let opened = Opened(file: file, total: total, contents: Set(origins[medium].withState(\.contents)))
        process.opened[medium] = opened
        history[medium].append(
            "\(number) \(process === processes[0] ? 0 : 1) opened \(total), \(file.cost.requestCount) requests")
        return opened
    }

    /// The bytes must be those of one content, the same as before; after an opening one that may be known.
    private func judge(
        _ bytes: [UInt8], _ range: Range<Int64>, _ process: Process, _ medium: Int, _ current: ModelOrigin.Content,
        _ wasOpen: Bool
    ) throws {
        guard var opened = process.opened[medium] else { return }
        if !wasOpen { opened.contents = fresh[medium].union([current]) }
        opened.contents = opened.contents.filter { $0.total == opened.total && $0.bytes(range) == bytes }
        guard !opened.contents.isEmpty else {
            throw Finding(
                description:
                    "medium \(medium): \(range) are bytes of no content that they may be of, \(wasOpen ? "as before" : "at an opening"); "
                    + described(bytes, range, medium))
        }
        process.opened[medium] = opened
        fresh[medium].formUnion(opened.contents)
    }

    /// Which contents the bytes are of, for a finding.
    private func described(_ bytes: [UInt8], _ range: Range<Int64>, _ medium: Int) -> String {
        let contents = origins[medium].withState(\.contents)
        let mixed = zip(range, bytes).map { place, byte in
            contents.indices.filter {
                place < contents[$0].total && FaultContent.madeByte(place, seed: contents[$0].seed) == byte
            }
        }
        var runs: [(from: Int64, contents: [Int])] = []
        for (place, found) in zip(range, mixed) {
            let both = (runs.last?.contents ?? []).filter(found.contains)
            guard runs.count < 20 else { continue }
            if both.isEmpty { runs.append((place, found)) } else { runs[runs.count - 1].contents = both }
        }
        return
            "\(bytes.prefix(8)) contents \(runs) of \(contents.count), totals \(contents.suffix(3).map(\.total)), kind \(origins[medium].withState(\.kind)), history \(history[medium].suffix(16))"
    }

    private func change(_ medium: Int) {
        let old = origins[medium].withState(\.content)
        seeds &+= 1
        let kind = origins[medium].withState(\.kind)
        // If an answer may have come without any validator only the length tells.
        let isTold = !kinds[medium].contains(.none)
        let total = isTold && random.isOne(in: 2) ? old.total : Int64.random(in: 50_000...250_000, using: &random)
        origins[medium].settle()
        origins[medium].change(
            ModelOrigin.Content(seed: seeds, total: total == old.total && !isTold ? total + 1 : total))
        history[medium].append(
            "\(number) change from \(old.total) to \(origins[medium].withState(\.content.total)), \(kind)")
        excuse(medium)
    }

    private func changeKind(_ medium: Int) {
        origins[medium].settle()
        let kind = ModelOrigin.Kind.allCases.randomElement(using: &random) ?? .strong
        origins[medium].withState { $0.kind = kind }
        kinds[medium].insert(kind)
        history[medium].append("\(number) kind \(kind)")
        excuse(medium)
    }

    private func excuse(_ medium: Int) { failures[medium] = 0 }

    private func close(_ process: Process, _ medium: Int) {
        process.opened[medium]?.file.cancel()
        process.opened[medium] = nil
    }

    /// Makes everything older than its time to live: bytes of media that are opened from now on are the server's.
    private func expire() {
        for process in processes { for medium in 0..<3 { close(process, medium) } }
        clock.seconds.wrappingAdd(limits.timeToLive + 1, ordering: .relaxed)
        fresh = [[], [], []]
        kinds = origins.map { [$0.withState(\.kind)] }
    }

    private func trouble(_ medium: Int) {
        let count = Int64.random(in: 0...50_000, using: &random)
        let troubles: [ModelOrigin.Trouble] = [
            .lost(after: count), .early(after: count), .status(503), .status(404), .wholeAnswer,
        ]
        let trouble = troubles.randomElement(using: &random) ?? .none
        origins[medium].withState { $0.troubles.append(trouble) }
        troubled.insert(medium)
    }

    private func fail(_ process: Process) {
        process.isSick = true
        process.files.fail(
            after: Int.random(in: 0...20, using: &random), [ENOSPC, EIO, EDQUOT].randomElement(using: &random) ?? EIO)
    }

    /// Processes die; new ones take their places. If all do, it is the machine's power, and bytes that were not synced
    /// are gone.
    private func kill(_ dying: [Process]) throws {
        for process in dying { process.files.die() }
        for process in dying { for medium in 0..<3 { close(process, medium) } }
        if dying.count == processes.count { disk.losePower() }
        for process in dying {
            guard let index = processes.firstIndex(where: { $0 === process }) else { continue }
            let next = try makeProcess()
            processes[index] = next
        }
    }

    private func evict() throws {
        var small = limits
        small.byteLimit = 100_000
        let cache = try MediaCache(path: folder.path, limits: small)
        _ = cache.prune()
    }

    // MARK: What must be true

    /// Everything recorded is of one content of its medium, and nothing is damaged.
    func check() throws {
        for process in processes { process.cache.flush() }
        let cache = try MediaCache(path: folder.path, limits: limits)
        let report = cache.verify()
        guard report.damaged == 0 else { throw Finding(description: "damaged: \(report)") }
        for (index, url) in urls.enumerated() {
            guard let medium = cache.medium(MediumKey(url)) else { continue }
            var contents = origins[index].withState(\.contents).filter { $0.total == medium.total }
            for range in medium.recorded(in: 0..<medium.total).ranges {
                var bytes = [UInt8](repeating: 0, count: range.count)
                var done = 0
                while done < bytes.count {
                    let count = bytes[done...].withUnsafeMutableBytes {
                        medium.read(at: range.lowerBound + Int64(done), into: $0)
                    }
                    guard count > 0 else { throw Finding(description: "\(range) is recorded and not there") }
                    done += count
                }
                contents = contents.filter { $0.bytes(range) == bytes }
            }
            guard !contents.isEmpty else {
                throw Finding(description: "medium \(index): recorded pieces are of several contents")
            }
        }
    }

    /// The number of bytes sent for each byte that was sent at all.
    var factor: Double {
        var (all, distinct) = (Int64(0), Int64(0))
        for origin in origins {
            for ranges in origin.withState(\.sent).values {
                all += ranges.reduce(0) { $0 + Int64($1.count) }
                distinct += ByteRanges(ranges).byteCount
            }
        }
        return Double(all) / Double(max(1, distinct))
    }
}
