import ScrubTestSupport
import Testing

@testable import ScrubMedia

@Suite struct FingerCourseTests {
    private func course(_ frames: some Sequence<Int>) -> DragMotion {
        var course = DragMotion()
        for frame in frames { course.note(frame) }
        return course
    }

    @Test func aMovementBeginsWithItsSecondStep() {
        #expect(!course([10]).isMovement && !course([10, 8]).isMovement && course([10, 8, 6]).way == -1)
        #expect(!course([5000]).isMovement && !course([5000, 4998]).isMovement)
        let back = course([5000, 4998, 4996])
        #expect(back.isMovement && back.way == -1 && back.frame == 4996)
        #expect(course([5000, 5001, 5003]).way == 1)
        // A jump and a rest end it.
        #expect(!course([5000, 4998, 4996, 4000]).isMovement)
        #expect(!course([5000, 4998, 4996, 4996]).isMovement)
        #expect(!course([0, .max]).isMovement && !course([.max, 0]).isMovement)
    }

    /// Small steps against the way are a finger's jitter; a dozen frames back are a turn.
    @Test func jitterIsNotATurn() {
        let way = [5000, 4990, 4980, 4985, 4975, 4979, 4970]
        #expect(course(way).way == -1 && course(way + [4982]).way == -1 && course(way + [4983]).way == 1)
    }

    /// A finger that goes to and fro goes no way, until it leaves the place. A drag that comes back goes its way.
    @Test func toAndFroIsAPlace() {
        let once = Array(stride(from: 5000, to: 4900, by: -4)) + Array(stride(from: 4900, to: 5000, by: 4))
        #expect(course(once).way == 1)
        let often = once + stride(from: 5000, to: 4900, by: -4) + stride(from: 4900, to: 5000, by: 4)
        let place = course(often)
        #expect(place.way == 0 && place.isAhead(0) && place.isAhead(9999))
        #expect(place.isNear(4900) && place.isNear(5020) && !place.isNear(4870) && !place.isNear(5030))
        #expect(course(often + stride(from: 5000, to: 5200, by: 4)).way == 1)
    }

    @Test(arguments: 0..<30) func whatIsAheadGoesItsWay(_ seed: Int) {
        var random = SplitMix(UInt64(seed))
        var course = DragMotion()
        var frame = 5000
        for _ in 0..<200 {
            frame += Int.random(in: -20...20, using: &random)
            course.note(frame)
            #expect(course.isAhead(frame) && course.isNear(frame))
            for other in stride(from: frame - 300, through: frame + 300, by: 7) where course.way != 0 {
                #expect(course.isAhead(other) == ((other - frame) * course.way >= -12))
                if course.isNear(other) { #expect(course.isAhead(other) && abs(other - frame) <= 96) }
            }
        }
    }
}
