import ScrubPlayersLogic
import Testing

@Suite struct PressureMeterTests {
    @Test func aSignalHoldsForTwoWindows() {
        var meter = PressureMeter()
        #expect(meter.severity(now: 0) == 0 && meter.nanosecondsToChange(now: 0) == nil)
        meter.note(isCritical: false, now: 0)
        meter.note(isCritical: true, now: 1_000_000_000)
        #expect(meter.severity(now: 1_000_000_000) == 2)
        #expect(meter.nanosecondsToChange(now: 2_000_000_000) == 4_000_000_000)
        meter.note(isCritical: false, now: 4_000_000_000)
        #expect(meter.severity(now: 6_000_000_000) == 1)
        #expect(meter.nanosecondsToChange(now: 6_000_000_000) == 3_000_000_000)
        #expect(meter.severity(now: 9_000_000_000) == 0 && meter.nanosecondsToChange(now: 9_000_000_000) == nil)
    }

    private func pressure(_ some: Int64, _ full: Int64) -> String {
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(some)\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=\(full)\n"
    }

    @Test func countersAreComparedWithTheTimeBefore() {
        var readings = PressureReadings()
        let second: Int64 = 1_000_000_000
        let cases: [(String, Int64, Bool?)] = [
            (pressure(500_000, 500_000), 0, nil),  // what was before is no news
            (pressure(649_999, 599_999), 2 * second, nil),
            (pressure(799_999, 599_999), 4 * second, false),
            (pressure(800_000, 699_999), 6 * second, true),
            (pressure(950_000, 699_999), 10 * second, nil),  // half the share, over two windows
            (pressure(0, 0), 12 * second, nil),
            ("", 14 * second, nil), ("some total=x", 15 * second, nil), ("some", 15 * second, nil),
            (pressure(.max, 0), .max, false),
        ]
        for (text, now, expected) in cases {
            let isCritical = readings.isCritical(pressure: text, now: now)
            #expect(isCritical == expected, "\(text) at \(now)")
        }
    }

    @Test func limitsThatWereReached() {
        var readings = PressureReadings()
        let cases: [(String, Bool?)] = [
            ("low 0\nhigh 7\nmax 3\noom 0\noom_kill 0\n", nil), ("low 1\nhigh 7\nmax 3\noom 0\noom_kill 0\n", nil),
            ("low 1\nhigh 8\nmax 3\noom 0\noom_kill 0\n", false), ("low 1\nhigh 9\nmax 4\noom 0\noom_kill 0\n", true),
            ("low 1\nhigh 9\nmax 4\noom 1\noom_kill 0\n", true), ("", nil), ("high x\nmax", nil),
        ]
        for (text, expected) in cases {
            let isCritical = readings.isCritical(events: text)
            #expect(isCritical == expected, "\(text)")
        }
    }
}
