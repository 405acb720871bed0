import Foundation
import Testing

@testable import ScrubBase

@Suite struct ThreadSignalsTests {
    /// The signals that the calling thread has blocked, a bit each (proc_pid_status(5)).
    private static func blocked() -> UInt64 {
        let text = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
        return line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) } ?? 0
    }

    private static func has(_ mask: UInt64, _ number: Int32) -> Bool { mask >> UInt64(number - 1) & 1 == 1 }

    @Test func aThreadOfTheLibrarysRunsNoHandlerOfThePrograms() throws {
        let before = ThreadSignalsTests.blocked()
        let (found, below) = (Locked<UInt64>(0), Locked<UInt64>(0))
        try DedicatedThread {
            found.withLock { $0 = ThreadSignalsTests.blocked() }
            // One that it starts has the same.
            (try? DedicatedThread { below.withLock { $0 = ThreadSignalsTests.blocked() } })?.join()
        }.join()
        #expect(ThreadSignalsTests.blocked() == before)
        for mask in [found, below].map({ $0.withLock { $0 } }) {
            for number in [SIGUSR1, SIGUSR2, SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGCHLD, SIGWINCH] {
                #expect(ThreadSignalsTests.has(mask, number), "signal \(number)")
            }
            for number in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF, SIGPIPE] {
                #expect(!ThreadSignalsTests.has(mask & ~before, number), "signal \(number)")
            }
        }
    }
}
