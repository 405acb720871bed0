import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct PositionTests {
    @Test(
        arguments: [
            ("0.42", 42, 100), ("0", 0, 1), ("1", 1, 1), ("1.0", 1, 1), ("42%", 42, 100), ("42.5%", 425, 1000),
            ("0%", 0, 1),
            ("100%", 1, 1), ("1/3", 1, 3), ("2/6", 1, 3), ("-1/3", -1, 3), ("0/5", 0, 1), (".5", 1, 2), ("5.", 5, 1),
            ("-.5", -1, 2), ("-0.25", -1, 4), ("-5%", -1, 20), ("7", 7, 1), ("00.50", 1, 2),
            ("000000000000000000000000.5", 1, 2),
            ("0.5000000000000000000000000000", 1, 2), ("0.000000000000000001", 1, 1_000_000_000_000_000_000),
            ("999999999999999999", 999_999_999_999_999_999, 1),
            ("0.999999999999999999", 999_999_999_999_999_999, 1_000_000_000_000_000_000),
            ("-0", 0, 1),
        ] as [(String, Int64, Int64)])
    func fractions(text: String, n: Int64, d: Int64) throws {
        #expect(try FramePosition(text) == .fraction(Rational(n, d)))
    }

    @Test(
        arguments: [
            ("12.5s", 25, 2), ("0s", 0, 1), ("-3s", -3, 1), (".5s", 1, 2), ("2.93s", 293, 100),
            ("1:02.5", 125, 2), ("0:00", 0, 1), ("00:00:00", 0, 1), ("90:00", 5400, 1),
            ("100:00:00", 360_000, 1), ("1.500m", 90, 1), ("1.0000h", 3600, 1), ("1:5", 65, 1),
            ("2m", 120, 1), ("1h", 3600, 1), ("1h2m3.5s", 7447, 2), ("1h3s", 3603, 1), ("2m5s", 125, 1),
            ("90m", 5400, 1),
            ("1.5h", 5400, 1), ("1h2.5m", 3750, 1), ("-2m", -120, 1), ("-1h2m", -3720, 1), ("0h", 0, 1), (".5m", 30, 1),
            ("1000h", 3_600_000, 1), ("1000000000:0", 60_000_000_000, 1),
            ("1000000000:59:59", 3_600_000_003_599, 1),
        ] as [(String, Int64, Int64)])
    func times(text: String, n: Int64, d: Int64) throws {
        #expect(try FramePosition(text) == .roundedTime(Rational(n, d), decimals: 3))
    }

    /// A time was rounded or cut off to its decimals, of which there are three at least.
    @Test(
        arguments: [
            ("90ms", 9, 100, 3), ("0.5ms", 1, 2000, 4), ("-90ms", -9, 100, 3), ("90.000ms", 9, 100, 6),
            ("00:01:02.500", 125, 2, 3), ("1:59:59.999", 7_199_999, 1000, 3), ("5.000s", 5, 1, 3),
            ("0:59.999999999", 59_999_999_999, 1_000_000_000, 9), ("1h2m3.500s", 7447, 2, 3), ("-0.250s", -1, 4, 3),
            ("2.933333s", 2_933_333, 1_000_000, 6), ("1.00000000000000000000s", 1, 1, 18),
            // As programs print numbers.
            ("0.0019999999999527063s", 1_999_999_999, 1_000_000_000_000, 12),
            ("0.1234567890123456789s", 123_456_789_012, 1_000_000_000_000, 12),
            ("1:02.1234567890123456789", 62_123_456_789_012, 1_000_000_000_000, 12),
        ] as [(String, Int64, Int64, Int)])
    func roundedTimes(text: String, n: Int64, d: Int64, decimals: Int) throws {
        #expect(try FramePosition(text) == .roundedTime(Rational(n, d), decimals: decimals))
    }

    @Test(
        arguments: [
            ("f1234", 1234), ("#1234", 1234), ("f-1", -1), ("#-1", -1), ("f0", 0), ("#0", 0), ("first", 0),
            ("last", -1), ("f-0", 0), ("f007", 7),
            ("f9223372036854775807", .max), ("f-9223372036854775808", .min),
        ] as [(String, Int)])
    func frames(text: String, number: Int) throws {
        #expect(try FramePosition(text) == .frame(number))
    }

    @Test func timecodesKeepTheirLabel() throws {
        #expect(
            try FramePosition("01:00:03:12") == .timecode(Timecode(hours: 1, minutes: 0, seconds: 3, frames: 12)))
        #expect(
            try FramePosition("1:00:03;12")
                == .timecode(Timecode(hours: 1, minutes: 0, seconds: 3, frames: 12, isDropFrame: true)))
    }

    /// The form for programs: a number, the distance to its neighbour, its decimals.
    @Test func numbersOfProgramsAreRead() throws {
        #expect(try FramePosition("~44/15s") == .computedTime(ComputedTime(seconds: Rational(44, 15))))
        #expect(
            try FramePosition("~-1/3~1/4096s")
                == .computedTime(ComputedTime(seconds: Rational(-1, 3), spacing: Rational(1, 4096))))
        #expect(
            try FramePosition("~689/50~0~3s") == .computedTime(ComputedTime(seconds: Rational(689, 50), decimals: 3)))
        for wrong in [
            "~", "~s", "~1/0s", "~1/2", "~1.5s", "~1~1~1~1s", "~1~0~19s", "~1~-1s", "~1~~s", "1~2s", "~1/-2s", "~/1s",
        ] {
            #expect(throws: ScrubError.self, "\(wrong)") { try FramePosition(wrong) }
        }
    }

    @Test func firstAndLastAreFrames() throws {
        #expect(try FramePosition("first") == .first)
        #expect(try FramePosition("last") == .last)
    }

    @Test(arguments: [
        "", " ", "1:60", "60:60", "1:60:00", "1::2", ":5", "5:", ":", "::", "1:2:3:4", "1:-2", "1:+2", "-1:02", "+1:02",
        "1:2s", "1:2%",
        "0x10", "1e3", "٤", "٤%", "f٤", "4\u{301}", "1:4\u{301}", "NaN", "nan", "inf", "-inf", "s", "ms", "%", "f", "#",
        "-", "+", ".", "-.", "+-1",
        "-+1", "--1", "+1", "1-", "1.2.3", "1..2", "1,5", "1_000", " 1", "1 ", "1\n", "1\0", "f1.5", "f1s", "f 1",
        "f--1", "f0x1", "##1", "ff1",
        "First", "LAST", "end", "1/0", "0/0", "1/", "/3", "/", "1/2/3", "1.5/2", "1/3%", "1/3s", "5%%", "%5", "5ss",
        "5 s", "h", "m", "1m1h", "1h1h", "1h60m", "1m60s", "1.5h2m", "1h-2m", "1h2", "1m5ms", "--1m", "1h 2m", "m5s",
        "00:00:00:0", "0:0:0:0", "00:00:00:000", "00;00;00;00", "00:00;00:00", "00:00:00;", "-01:00:00:00",
        "00:60:00:00", "00:00:60:00", "00:00:00:60", "00:00:00;00;00", "00:00:00.00:00", "½", "²", "0.5%s",
        "f9223372036854775808", "1/9223372036854775808", "-9223372036854775808/1", "1000000001:00",
        "99999999999999999999:00",
    ])
    func refusesGarbage(text: String) {
        let error = #expect(throws: ScrubError.self) { try FramePosition(text) }
        #expect(error?.code == .usage)
        #expect(error?.description.isEmpty == false)
    }

    @Test(arguments: [
        "0.1234567890123456789", "1234567890123456789", "-1234567890123456789",
        "12345678901234567890%",
        "0.0000000000000000001", "123456789012345678.123456789012345678",
        "1234567890123456789ms",
        "0.123456789012345678%",
    ])
    func refusesMoreDigitsThanAreExact(text: String) {
        let error = #expect(throws: ScrubError.self) { try FramePosition(text) }
        #expect(error?.code == .usage)
    }

    /// A person's typed text and its meaning agree digit by digit, whatever the value.
    @Test(arguments: 0..<10)
    func decimalsAreExact(seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        for _ in 0..<300 {
            let digits = Int.random(in: 1...9, using: &random)
            let scale = (0..<digits).reduce(Int64(1)) { scale, _ in scale * 10 }
            let value = Int64.random(in: 0..<scale * 1000, using: &random)
            let (whole, part) = value.quotientAndRemainder(dividingBy: scale)
            let text = "\(whole)." + String(repeating: "0", count: digits - String(part).count) + "\(part)"
            #expect(try FramePosition(text) == .fraction(Rational(value, scale)))
            #expect(try FramePosition("-\(text)") == .fraction(Rational(-value, scale)))
            #expect(try FramePosition("\(text)%") == .fraction(Rational(value, scale * 100)))
            let seconds = Rational(value, scale)
            #expect(try FramePosition("\(text)s") == .roundedTime(seconds, decimals: max(3, digits)))
            #expect(
                try FramePosition("\(text)ms") == .roundedTime(Rational(value, scale * 1000), decimals: digits + 3))
        }
    }

    @Test func clocksCountInSixties() throws {
        var random = SplitMix(3)
        for _ in 0..<500 {
            let (h, m) = (Int64.random(in: 0...200, using: &random), Int64.random(in: 0..<60, using: &random))
            let ms = Int64.random(in: 0..<60_000, using: &random)
            let text = "\(h):\(m):\(ms / 1000)." + String(String(1000 + ms % 1000).dropFirst())
            #expect(
                try FramePosition(text) == .roundedTime(Rational((h * 60 + m) * 60_000 + ms, 1000), decimals: 3))
        }
    }

    /// Random text out of the letters that positions are made of is read or refused, and never traps.
    @Test(arguments: 0..<10)
    func anyTextIsReadOrRefused(seed: Int) {
        var random = SplitMix(UInt64(seed + 100))
        let letters = Array("0123456789.:%/#fms-+ 09:.;h")
        for _ in 0..<2000 {
            let text = String(
                (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    letters[Int.random(in: 0..<letters.count, using: &random)]
                })
            do { _ = try FramePosition(text) } catch { #expect(error.code == .usage) }
        }
    }
}
