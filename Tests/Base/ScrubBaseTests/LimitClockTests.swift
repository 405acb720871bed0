import ScrubTestSupport
import Testing

@testable import ScrubBase

@Suite("The clock of limits") struct LimitClockTests {
    private static let unit = LimitClock.pause

    /// Looks at the wall and the processors, in pauses that count in full, and what is left out after them.
    struct Case: Sendable {
        var looks: [[Int64]]
        var leftOut: Int64
    }

    private static let cases: [Case] = [
        // Work on one processor, and on two.
        Case(looks: [[10, 10], [40, 40]], leftOut: 0),
        Case(looks: [[10, 20], [20, 40]], leftOut: 0),
        // Stopped for a minute: one pause of it counts, and so does the work around it.
        Case(looks: [[10, 10], [70, 10]], leftOut: 59),
        Case(looks: [[10, 10], [75, 15]], leftOut: 59),
        // Short waits count.
        Case(looks: [[10, 10], [11, 10], [12, 10], [13, 10]], leftOut: 0),
        // A thread that comes late with an earlier time changes nothing.
        Case(looks: [[10, 10], [70, 10], [69, 9], [71, 11]], leftOut: 59),
    ]

    @Test(arguments: cases) func theClockStandsStillWithTheProcess(_ row: Case) {
        var course = LimitClock.Course()
        for look in row.looks {
            course.look(wall: look[0] * Self.unit, processor: look[1] * Self.unit, isWaiting: false)
        }
        #expect(course.leftOut == row.leftOut * Self.unit)
    }

    @Test func waitsCountInFull() {
        var course = LimitClock.Course()
        course.look(wall: Self.unit, processor: 0, isWaiting: false)
        course.look(wall: 61 * Self.unit, processor: 0, isWaiting: true)
        #expect(course.leftOut == 0)
        course.look(wall: 121 * Self.unit, processor: 0, isWaiting: false)
        #expect(course.leftOut == 59 * Self.unit)
    }

    /// It never goes back, and never runs faster than the wall's.
    @Test(arguments: 0..<20 as Range<UInt64>) func itOnlyGoesForward(_ seed: UInt64) {
        var random = SplitMix(seed)
        var course = LimitClock.Course()
        var (wall, processor, last): (Int64, Int64, Int64) = (0, 0, 0)
        for _ in 0..<200 {
            let step = Int64.random(in: 0...3 * Self.unit, using: &random)
            wall += step
            processor += Int64.random(in: 0...2 * step, using: &random)
            course.look(wall: wall, processor: processor, isWaiting: .random(using: &random))
            let now = wall - course.leftOut
            #expect((last...last + step).contains(now))
            last = now
        }
    }

    @Test func aMomentIsAfterNow() throws {
        let now = LimitClock.now
        #expect(LimitClock.after(.seconds(10)) >= now + 10_000_000_000)
        #expect(LimitClock.after(.seconds(Int64.max)) == .max)
        #expect(LimitClock.waiting { 7 } == 7)
        #expect(LimitClock.now >= now)
    }
}
