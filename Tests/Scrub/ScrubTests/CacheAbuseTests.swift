import Foundation
import Synchronization
import ScrubTestSupport
import Testing

/// The media cache under processes that are killed, on disks that are full, and under many processes at once.
///
/// `Tests/Runs/cache-abuse.sh` runs this a thousand times; the seed is printed.
@Suite(.serialized) struct CacheAbuseTests {
    private static func number(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    /// The output of `scrub seek --json --hash`.
    private struct Answer: Decodable {
        struct Network: Decodable {
            let requests: Int
            let bytesFetched: Int
            let bytesFromCache: Int
            let retries: Int
        }
        let frame: Int
        let hash: String
        let verdict: String
        let network: Network?
    }

    private struct Verified: Decodable {
        let checked: Int
        let damaged: Int
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ result: Tool.Result) throws -> Value {
        try JSONDecoder().decode(type, from: result.bytes)
    }

    private static func environment(_ cache: String) -> [String: String] {
        // A small disk has less than the space that is left free by itself.
        ["SCRUB_CACHE_DIR": cache, "SCRUB_CACHE_MIN_FREE": "0"]
    }

    private static func seekWords(_ url: String, _ frame: Int) -> [String] {
        ["seek", url, "f\(frame)", "--json", "--hash"]
    }

    private func expectRight(_ result: Tool.Result, _ film: NetworkFilm, _ frame: Int, _ note: String) throws {
        try #require(result.status == 0, "\(note): \(result.errors)")
        let answer = try Self.decode(Answer.self, result)
        #expect(answer.frame == frame && answer.verdict == "exact", "\(note)")
        #expect(answer.hash == "md5:" + film.hashes[frame], "\(note)")
    }

    private func expectSound(_ cache: String, _ note: String) throws {
        let verified = try Tool.run(
            CommandTests.program, ["cache", "verify", "--json"], environment: Self.environment(cache))
        #expect(verified.status == 0, "\(note): \(verified.errors)")
        #expect(try Self.decode(Verified.self, verified).damaged == 0, "\(note): \(verified.output)")
    }

    /// A process that is told to die.
    private final class Victim: Sendable {
        private let identifier = Mutex<Int32?>(nil)
        private let isKilled = Mutex(false)
        var wasKilled: Bool { isKilled.withLock { $0 } }

        /// Starts the program; the identifier is there for ``kill(after:)`` before it can be asked for.
        func run(_ words: [String], _ environment: [String: String], afterwards: (Victim) -> Void) throws {
            let process = Process()
            process.executableURL = URL(filePath: CommandTests.program)
            process.arguments = words
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try identifier.withLock { value in
                try process.run()
                value = process.processIdentifier
            }
            afterwards(self)
            process.waitUntilExit()
            // From here on the number may be another process's.
            identifier.withLock { $0 = nil }
        }

        func kill(after microseconds: UInt32) {
            if microseconds > 0 { usleep(microseconds) }
            let isGone = identifier.withLock { $0.map { Glibc.kill($0, SIGKILL) } ?? -1 }
            if isGone == 0 { isKilled.withLock { $0 = true } }
        }
    }

    @Test func killedAtAnyMoment() throws {
        let (rounds, seed) = (Self.number("SCRUB_ABUSE_KILLS", 12), SplitMix.seed("SCRUB_ABUSE_SEED"))
        print("killed at any moment: SCRUB_ABUSE_SEED=\(seed)")
        var random = SplitMix(seed)
        let film = try NetworkFilm.indexLast.get()
        let server = try FaultServer()
        server.serve(film.bytes, as: "film.mp4")
        var cache = try TemporaryFolder()
        var (kills, turns) = (0, 0)
        while kills < rounds {
            turns += 1
            try #require(turns < 10 * rounds + 100, "hardly anything is killed")
            if turns % 8 == 0 { cache = try TemporaryFolder() }
            let frame = Int.random(in: film.hashes.indices, using: &random)
            let victim = Victim()
            let pause = UInt32.random(in: 0...3000, using: &random)
            let (request, byte) = (Int.random(in: 0...3, using: &random), Int64.random(in: 0...300_000, using: &random))
            server.clearLog()
            server.heal("film.mp4")
            // Half of them while a body arrives, the other half at any time of a run.
            let isTimed = random.isOne(in: 2)
            let moment = UInt32.random(in: 1000...120_000, using: &random)
            if !isTimed {
                server.fail("film.mp4", .call(.inBody(byte)) { victim.kill(after: pause) }, on: .only(request))
            }
            try victim.run(Self.seekWords(server.url("film.mp4"), frame), Self.environment(cache.path)) { victim in
                if isTimed { victim.kill(after: moment) }
            }
            server.heal("film.mp4")
            guard victim.wasKilled else { continue }
            kills += 1
            let note = "seed \(seed), kill \(kills), frame \(frame), request \(request), byte \(byte)"
            try expectSound(cache.path, note)
            let again = try Tool.run(
                CommandTests.program, Self.seekWords(server.url("film.mp4"), frame),
                environment: Self.environment(cache.path))
            try expectRight(again, film, frame, note)
        }
        print("killed \(kills) times in \(turns) runs; SCRUB_ABUSE_SEED=\(seed)")
    }

    /// Each size of a disk, from none to enough. The answer is right, a warning tells about files that are not kept,
    /// and kept ones are whole.
    @Test(.enabled(if: Mounts.unshare != nil, "a disk is mounted: needs root, or namespaces for users"))
    func fullDisks() throws {
        let film = try NetworkFilm.indexLast.get()
        let server = try FaultServer()
        server.serve(film.bytes, as: "film.mp4")
        let script = """
            place=$1 options=$2 program=$3 url=$4
            mount -t tmpfs -o "$options" tmpfs "$place" || exit 99
            "$program" seek "$url" f260 --json --hash || exit 98
            "$program" seek "$url" f20 --json --hash || exit 97
            said=$("$program" cache verify --json 2>&1) && echo "$said" && exit 0
            # A disk that has no place for a catalogue has nothing to verify.
            case $said in *"catalogue cannot be used"*|*"No space left"*) echo '{"checked":0,"damaged":0}';; *) echo "$said" >&2; exit 96;; esac
            """
        let unshare = try #require(Mounts.unshare)
        var (warnings, kept) = (0, 0)
        for size in ["4k", "16k", "64k", "128k", "192k", "256k", "384k", "512k", "768k", "1m", "2m", "4m", "64m"] {
            let place = try TemporaryFolder()
            let result = try Tool.run(
                unshare[0],
                unshare.dropFirst()
                    + [
                        "sh", "-c", script, "sh", place.path, "size=\(size)", CommandTests.program,
                        server.url("film.mp4"),
                    ],
                environment: Self.environment(place.path + "/cache"))
            #expect(result.status == 0, "\(size): \(result.errors)")
            let lines = result.output.split(separator: "\n").map { Data($0.utf8) }
            try #require(lines.count == 3, "\(size): \(result.output) \(result.errors)")
            for (line, frame) in zip(lines, [260, 20]) {
                let answer = try JSONDecoder().decode(Answer.self, from: line)
                #expect(answer.frame == frame && answer.hash == "md5:" + film.hashes[frame], "\(size)")
            }
            let verified = try JSONDecoder().decode(Verified.self, from: lines[2])
            #expect(verified.damaged == 0, "\(size): \(result.output)")
            if !result.errors.isEmpty { warnings += 1 }
            if verified.checked > 0 { kept += 1 }
            if size == "4k" { #expect(!result.errors.isEmpty, "nothing is said of a disk that takes nothing") }
            if size == "64m" { #expect(result.errors.isEmpty && verified.checked > 0, "\(result.errors)") }
        }
        #expect(warnings > 0 && kept > 0)
    }

    /// Eight processes that ask for the same frames at the same time fetch each byte about once.
    @Test func eightProcesses() throws {
        let film = try NetworkFilm.indexLast.get()
        let server = try FaultServer()
        server.serve(film.bytes, as: "film.mp4")
        let cache = try TemporaryFolder()
        let frames = [30, 260, 100, 480]
        let results = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for frame in frames {
                let result = try? Tool.run(
                    CommandTests.program, Self.seekWords(server.url("film.mp4"), frame),
                    environment: Self.environment(cache.path))
                let answer = result.flatMap { try? Self.decode(Answer.self, $0) }
                results.withLock {
                    $0.append(answer?.hash == "md5:" + film.hashes[frame] ? "" : "\(frame): \(result?.errors ?? "")")
                }
            }
        }
        #expect(results.withLock { $0.filter { !$0.isEmpty } } == [])
        #expect(server.waitUntilIdle())
        let factor = Double(server.log.contentBytes) / Double(max(1, server.log.distinctContentBytes))
        print("eight processes: \(server.log.count) requests, factor \(factor)")
        #expect(factor <= 1.25, "\(server.log.contentBytes) of \(server.log.distinctContentBytes)")
        try expectSound(cache.path, "eight processes")
    }
}
