@testable import ScrubDecoding
import Testing

@Suite struct AccessPatternTests {
    /// One request and its expected interpretation.
    struct Row: Sendable {
        var frame: Int
        var restart: Int
        var motion: AccessPattern.Hint.Motion
        var length: Int
        var isRevisit: Bool

        init(_ frame: Int, _ restart: Int, _ motion: AccessPattern.Hint.Motion, _ length: Int, _ isRevisit: Bool) {
            (self.frame, self.restart, self.motion, self.length) = (frame, restart, motion, length)
            self.isRevisit = isRevisit
        }
    }

    static let walks: [[Row]] = [
        // The first request is a jump, and so is everything further than a finger moves.
        [
            Row(5, 0, .jump, 1, false), Row(70, 64, .jump, 2, false), Row(5, 0, .jump, 3, true),
            Row(900, 896, .jump, 4, false),
        ],
        // As far as a finger moves, and one frame further, both ways.
        [
            Row(100, 0, .jump, 1, false), Row(164, 0, .forward, 1, true), Row(229, 0, .jump, 1, true),
            Row(165, 0, .backward, 1, true), Row(100, 0, .jump, 1, true),
        ],
        // Steps add up while they go the same way.
        [
            Row(10, 0, .jump, 1, false), Row(11, 0, .forward, 1, true), Row(12, 0, .forward, 2, true),
            Row(15, 0, .forward, 3, true), Row(14, 0, .backward, 1, true), Row(9, 0, .backward, 2, true),
            Row(10, 0, .forward, 1, true),
        ],
        // The same frame once more is not a movement.
        [
            Row(10, 0, .jump, 1, false), Row(11, 0, .forward, 1, true), Row(11, 0, .jump, 1, true),
            Row(12, 0, .forward, 1, true),
        ],
        // A movement may cross into another group.
        [
            Row(48, 0, .jump, 1, false), Row(49, 0, .forward, 1, true), Row(50, 50, .forward, 2, false),
            Row(51, 50, .forward, 3, true), Row(49, 0, .backward, 1, true),
        ],
    ]

    @Test(arguments: walks) func requestsLookLikeWhatTheyAre(_ walk: [Row]) {
        var pattern = AccessPattern()
        var last: Int?
        for row in walk {
            let step = last.map { abs(row.frame - $0) } ?? 0
            last = row.frame
            let hint = pattern.note(frame: row.frame, restart: row.restart)
            let expected = AccessPattern.Hint(
                motion: row.motion, length: row.length, step: step, isRevisit: row.isRevisit,
                isScattered: hint.isScattered)
            #expect(hint == expected, "frame \(row.frame)")
        }
    }

    /// A small step, or the third the same way, is worth preparing for; two far ones may be chance, and jumps do not
    /// count.
    @Test(arguments: [
        ([100, 84], true), ([100, 83], false), ([100, 116], true), ([100, 160, 220], false),
        ([100, 160, 220, 280], true), ([100, 60, 20, 10], true), ([100, 60, 100, 60], false), ([100, 300], false),
        ([100], false),
    ])
    func movementsThatGoOnAreSteady(_ walk: [Int], isSteady: Bool) {
        var pattern = AccessPattern()
        var hint: AccessPattern.Hint?
        for frame in walk { hint = pattern.note(frame: frame, restart: 0) }
        #expect(hint?.isSteady == isSteady)
    }

    /// Two small steps the same way are a movement, also if one far step comes between. Two far steps end it. A repeat
    /// changes nothing.
    @Test(arguments: [
        ([], true), ([500], true), ([0, 1], true), ([0, 1, 2], false), ([0, 16, 32], false), ([0, 17, 34], true),
        ([9, 8, 7], false), ([0, 1, 0, 1, 0], true), ([0, 1, 2, 1, 2, 1], false), ([0, 1, 2, 900], false),
        ([0, 1, 2, 900, 901], false), ([0, 1, 2, 900, 300], true), ([0, 1, 2, 900, 300, 301, 302], false),
        ([0, 1, 2, 2, 2, 2], false), ([0, 1, 2, 40, 80], true), ([100, 100, 100], true),
    ])
    func jumpsAreScattered(_ walk: [Int], isScattered: Bool) {
        var pattern = AccessPattern()
        var hint = AccessPattern.Hint.first
        for frame in walk { hint = pattern.note(frame: frame, restart: 0) }
        #expect(hint.isScattered == isScattered)
    }

    /// A finger jitters on its way: small steps against it do not turn it, however often they come. A caller
    /// that waits for each answer does not jitter.
    @Test(arguments: [
        // Back, with steps against it.
        ([100, 98, 95, 94, 96, 92, 94], "jbbbBbB"),
        // As far behind the front as two mean steps: a turn, step by step.
        ([100, 98, 96, 94, 95, 97, 98, 99], "jbbbBBBf"),
        // Too short a movement to jitter on.
        ([100, 98, 97, 99], "jbbf"),
        // A fast finger jitters as much more.
        ([100, 130, 160, 190, 150], "jfffF"), ([100, 130, 160, 190, 130], "jfffF"),
        ([100, 130, 160, 190, 129], "jfffb"),
        ([100, 130, 160, 190, 125], "jfffj"),
        // A jump is a jump.
        ([100, 101, 102, 103, 38], "jfffj"),
    ])
    func smallStepsAgainstAMovementAreJitter(_ walk: [Int], _ expected: String) {
        for isFinger in [true, false] {
            var pattern = AccessPattern(toleratesJitter: isFinger)
            var found = ""
            var last: Int?
            for frame in walk {
                let hint = pattern.note(frame: frame, restart: 0)
                let letter = hint.motion == .jump ? "j" : hint.motion == .forward ? "f" : "b"
                found += hint.isAgainst ? letter.uppercased() : letter
                #expect(hint.step == last.map { abs(frame - $0) } ?? 0)
                last = frame
            }
            let turned = expected.map { $0 == "B" ? "f" : $0 == "F" ? "b" : String($0) }.joined()
            #expect(found == (isFinger ? expected : turned))
        }
    }

    /// Eight groups are remembered; the ninth makes the one forgotten that was asked for longest ago.
    @Test func oldGroupsAreForgotten() {
        var pattern = AccessPattern()
        for restart in 0..<8 {
            #expect(!pattern.note(frame: restart * 1000, restart: restart).isRevisit)
        }
        #expect(pattern.note(frame: 0, restart: 0).isRevisit)
        #expect(!pattern.note(frame: 8000, restart: 8).isRevisit)
        #expect(!pattern.note(frame: 1000, restart: 1).isRevisit, "the longest ago")
        #expect(pattern.note(frame: 0, restart: 0).isRevisit, "asked for since")
    }
}
