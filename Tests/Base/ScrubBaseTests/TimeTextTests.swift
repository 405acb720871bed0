import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct TimeTextTests {
    @Test(
        arguments: [
            (0, 1, "0:00.000", "00:00:00.000", "0"), (44, 15, "0:02.933", "00:00:02.933", "2.933333333"),
            (89, 30, "0:02.966", "00:00:02.966", "2.966666666"), (5, 2, "0:02.500", "00:00:02.500", "2.5"),
            (119_999, 2000, "0:59.999", "00:00:59.999", "59.9995"),
            (3600, 1, "1:00:00.000", "01:00:00.000", "3600"), (360_001, 1, "100:00:01.000", "100:00:01.000", "360001"),
            (-1, 2, "0:00.000", "00:00:00.000", "-0.5"), (1, 3_000_000_000, "0:00.000", "00:00:00.000", "0.0000000003"),
            (100_000_000, 3, "9259:15:33.333", "9259:15:33.333", "33333333.3333333"),
            (400_000_000_001, 90_000, "1234:34:04.444", "1234:34:04.444", "4444444.44445555"),
            (3_600_000_000_000, 1, "3600000000000s", "3600000000000s", "3600000000000"),
        ] as [(Int64, Int64, String, String, String)])
    func timesAreCutOff(_ n: Int64, _ d: Int64, _ clock: String, _ full: String, _ seconds: String) {
        let text = TimeText(Rational(n, d))
        #expect(text.clock == clock && text.fullClock == full && text.seconds == seconds)
    }

    /// As many digits as it takes to lie behind the frame before.
    @Test(
        arguments: [
            (1, 1000, 1, 1000, "0:00.001", "0.001"), (44, 15, 1, 30, "0:02.933", "2.933333333"),
            // 2000 frames a second, from 0: odd ones lie in the middle of a millisecond.
            (3, 2000, 1, 2000, "0:00.0015", "0.0015"), (2, 2000, 1, 2000, "0:00.001", "0.001"),
            // The frame before lies where the text would be.
            (10_001, 10_000_000, 1, 10_000_000, "0:00.0010001", "0.0010001"),
            (12_346, 10_000_000, 1, 10_000_000, "0:00.0012346", "0.0012346"),
            (1_000_000_001, 1_000_000_000, 1, 1_000_000_000, "0:01.000000001", "1.000000001"),
            (2_147_483_649, 2_147_483_647, 1, 2_147_483_647, "0:01.0000000009", "1.0000000009"),
            // Less than three digits would be the instant before.
            (4_000_000_001, 100_000_000_000, 1, 1, "0:00.040", "0.04000000001"),
        ] as [(Int64, Int64, Int64, Int64, String, String)])
    func closeFramesHaveMoreDigits(
        _ n: Int64, _ d: Int64, _ leadN: Int64, _ leadD: Int64, _ clock: String, _ seconds: String
    ) {
        let text = TimeText(Rational(n, d), after: Rational(leadN, leadD))
        #expect(text.clock == clock && text.seconds == seconds)
    }

    /// A number in JSON comes back from a `Double` digit by digit.
    @Test(arguments: 0..<4) func secondsComeBackFromADouble(_ seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        for _ in 0..<500 {
            let d = Int64.random(in: 1...1_000_000, using: &random)
            let time = Rational(Int64.random(in: 0...1 << Int64.random(in: 1...36, using: &random), using: &random), d)
            let text = TimeText(time).seconds
            let back = try #require(Double(text))
            #expect(back.description == text || back.description == text + ".0" || back < 1e-4, "\(time) \(text)")
        }
    }
}
