import ScrubBase
import Synchronization
import ScrubTestSupport
import Testing

@testable import ScrubBatch

@Suite("Processors and memory that films share") struct BatchGateTests {
    /// However threads come and go, no more is lent than there is, and everybody is served.
    @Test func neverMoreThanThereIs() throws {
        let seed = SplitMix.seed()
        let gate = BatchGate(cores: 3, bytes: 1000)
        let (cores, bytes) = (Locked((now: 0, most: 0)), Locked((now: 0, most: 0)))
        let served = Atomic(0)
        let threads = try (0..<8).map { number in
            try DedicatedThread {
                var random = SplitMix(seed &+ UInt64(number))
                for _ in 0..<300 {
                    let taken = gate.takeCores(Int.random(in: 0...5, using: &random))
                    cores.withLock { $0 = ($0.now + taken, max($0.most, $0.now + taken)) }
                    let room = gate.takeBytes(Int.random(in: 0...1500, using: &random))
                    bytes.withLock { $0 = ($0.now + room, max($0.most, $0.now + room)) }
                    bytes.withLock { $0.now -= room }
                    gate.giveBytes(room)
                    cores.withLock { $0.now -= taken }
                    gate.giveCores(taken)
                    served.add(1, ordering: .relaxed)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(served.load(ordering: .relaxed) == 2400, "seed \(seed)")
        #expect(cores.withLock { $0.most } <= 3 && bytes.withLock { $0.most } <= 1000, "seed \(seed)")
        #expect(gate.peak <= 1000)
        #expect(gate.takeFreeCores(9) == 3, "all came back")
    }
}
