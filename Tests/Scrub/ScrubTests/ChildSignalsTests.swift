import CScrubSandbox
import Glibc
import ScrubBase
import Testing

/// A sandbox's process that is started from a thread of the library's: it has none of that thread's blocked signals.
@Suite struct ChildSignalsTests {
    @Test func aChildHasNoSignalBlocked() throws {
        let said = Locked<[UInt8]>([])
        let problem = Locked<Int32>(0)
        try DedicatedThread {
            var (link, child) = (Int32(-1), pid_t())
            let words = ["sh", "-c", "grep SigBlk /proc/self/status >&3"]
            var pointers = words.map { strdup($0) } + [nil]
            let status = scrub_worker_start("/bin/sh", &pointers, &link, &child)
            for pointer in pointers { free(pointer) }
            guard status == 0 else {
                problem.withLock { $0 = status }
                return
            }
            var room = [UInt8](repeating: 0, count: 256)
            while case let count = scrub_link_receive(link, &room, room.count, nil, -1), count > 0 {
                said.withLock { $0 += room[..<count] }
            }
            close(link)
            var how = Int32(0)
            _ = scrub_worker_wait(child, &how)
        }.join()
        #expect(problem.withLock { $0 } == 0)
        let line = String(decoding: said.withLock { $0 }, as: UTF8.self)
        #expect(line == "SigBlk:\t0000000000000000\n", "\(line)")
    }
}
