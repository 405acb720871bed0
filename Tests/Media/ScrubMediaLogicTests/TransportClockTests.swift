import ScrubMediaLogic
import Testing

@Suite struct TransportClockTests {
    @Test func theSystemClockRunsForward() {
        let clock = ScrubTransport.SystemClock()
        let times = (0..<1000).map { _ in clock.nanoseconds }
        #expect(times.allSatisfy { $0 >= 0 })
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        let end = clock.nanoseconds + 2_000_000
        while clock.nanoseconds < end {}
        #expect(clock.nanoseconds >= end)
    }

    @Test func aManualClockStopsAtItsEnd() {
        let clock = ScrubTransport.ManualClock(nanoseconds: .max - 1)
        clock.advance(by: .seconds(1))
        #expect(clock.nanoseconds == .max)
        clock.advance(by: .seconds(Int64.max))
        #expect(clock.nanoseconds == .max)
    }
}
