import ScrubBase
import ScrubIndex
import Testing

@Suite struct FrameTimecodeTests {
    /// Frames at a constant rate, with times rounded to units.
    private func index(_ rate: Rational, count: Int, unit: Rational, start: String? = nil) throws -> FrameIndex {
        let times = (0..<count).map { n -> Int64 in
            // The nearest unit, halves up.
            let (a, b) = (
                Int64(n) * rate.denominator * unit.denominator, rate.numerator * unit.numerator
            )
            return (2 * a + b) / (2 * b)
        }
        var synthetic = SyntheticIndex(times: times)
        synthetic.facts.timeBase = unit
        synthetic.lastDuration = (times.last ?? 0) - (times.dropLast().last ?? 0)
        synthetic.facts.startTimecode = try start.map { try Timecode($0) }
        return synthetic.index
    }

    private func frame(_ text: String, _ index: FrameIndex) throws -> [Int] {
        let (frame, isClamped) = try index.resolve(FramePosition(text), clamps: true)
        return [frame, isClamped ? 1 : 0]
    }

    /// Every rate, in exact units, in Matroska's milliseconds and in MPEG's: each frame is found by its label.
    @Test(
        arguments: Timecode.Rate.all,
        [Rational(1, 1000), Rational(1, 90_000), Rational(1001, 120_000), Rational(1, 600)])
    func everyFrameIsFoundByItsLabel(_ rate: Timecode.Rate, _ unit: Rational) throws {
        // 59.94 in 600ths is off by a quarter of a unit at most, and the others are multiples.
        guard unit != Rational(1001, 120_000) || rate.isNTSC else { return }
        let index = try index(rate.framesPerSecond, count: 4000, unit: unit, start: "00:59:58:00")
        let timecodes = try #require(index.timecodes)
        #expect(timecodes.rate.nominal == rate.nominal)
        for number in stride(from: 0, to: 4000, by: 7) {
            let label = timecodes.timecode(ofFrame: number)
            let found = try index.resolve(.timecode(label))
            #expect(found.frame == number && !found.isClamped, "\(label)")
        }
    }

    @Test func theFilesOwnStartCounts() throws {
        let index = try index(Rational(25), count: 200, unit: Rational(1, 25), start: "01:00:00:00")
        #expect(try frame("01:00:00:00", index) == [0, 0])
        #expect(try frame("01:00:03:12", index) == [87, 0])
        #expect(try frame("01:00:08:00", index) == [199, 1])
        #expect(try frame("00:59:59:24", index) == [0, 1])
        #expect(try frame("00:00:03:12", index) == [0, 1])
        #expect(throws: ScrubError.self) { try self.frame("01:00:00:25", index) }
        #expect(throws: ScrubError.self) { try self.frame("01:00:00;00", index) }
    }

    @Test func withoutOneItCountsFromZero() throws {
        let index = try index(Rational(30_000, 1001), count: 2000, unit: Rational(1001, 30_000))
        #expect(index.timecodes == nil)
        #expect(try frame("00:00:03:12", index) == [102, 0])
        #expect(try frame("00:01:00:00", index) == [1800, 0])
        #expect(try frame("00:01:00;02", index) == [1800, 0])
        #expect(throws: ScrubError.self) { try self.frame("00:01:00;00", index) }
    }

    /// A colon means the file's labels, whichever way they count; a semicolon on labels that leave none out is a
    /// mistake.
    @Test func colonsFollowTheFile() throws {
        let rate = Rational(30_000, 1001)
        let drop = try index(rate, count: 4000, unit: Rational(1001, 30_000), start: "01:00:00;00")
        #expect(try frame("01:01:00;02", drop) == [1800, 0])
        #expect(try frame("01:01:00:02", drop) == [1800, 0])
        #expect(throws: ScrubError.self) { try self.frame("01:01:00:00", drop) }
        #expect(drop.timecodes?.timecode(ofFrame: 1800).description == "01:01:00;02")
        let plain = try index(rate, count: 4000, unit: Rational(1001, 30_000), start: "01:00:00:00")
        #expect(try frame("01:01:00:00", plain) == [1800, 0])
        #expect(throws: ScrubError.self) { try self.frame("01:01:00;02", plain) }
    }

    @Test func midnightIsPassed() throws {
        let index = try index(Rational(25), count: 500, unit: Rational(1, 25), start: "23:59:50:00")
        #expect(try frame("00:00:05:00", index) == [375, 0])
        // One past the end, and one before the beginning.
        #expect(try frame("00:00:10:00", index) == [499, 1])
        #expect(try frame("23:59:49:24", index) == [0, 1])
        for outside in ["00:00:10:00", "23:59:49:24"] {
            let error = #expect(throws: ScrubError.self) { try index.resolve(FramePosition(outside)) }
            #expect(error?.cause.contains("from 23:59:50:00 to 00:00:09:24") == true, "\(error?.cause ?? "")")
        }
        #expect(index.timecodes?.timecode(ofFrame: 250).description == "00:00:00:00")
    }

    /// Files have labels after 23:59:59, and print them so.
    @Test func labelsGoOnAfterADay() throws {
        let long = try index(Rational(25), count: 150, unit: Rational(1, 25), start: "24:00:00:00")
        #expect(try frame("24:00:00:00", long) == [0, 0] && frame("00:00:00:00", long) == [0, 0])
        #expect(try frame("24:00:02:10", long) == [60, 0] && frame("00:00:02:10", long) == [60, 0])
        #expect(try frame("24:00:06:00", long) == [149, 1] && frame("23:59:59:24", long) == [0, 1])
        // A movie's counter has lost the day, and a film that passes midnight goes on.
        let lost = try index(Rational(25), count: 150, unit: Rational(1, 25), start: "00:00:00:00")
        #expect(try frame("24:00:02:10", lost) == [60, 0])
        let passing = try index(Rational(25), count: 150, unit: Rational(1, 25), start: "23:59:58:00")
        #expect(try frame("24:00:00:00", passing) == [50, 0] && frame("00:00:04:00", passing) == [149, 1])
        // Without a timecode there is no day.
        let plain = try index(Rational(25), count: 150, unit: Rational(1, 25))
        #expect(throws: ScrubError.self) { try plain.resolve(FramePosition("24:00:00:00")) }
        #expect(throws: ScrubError.self) { try plain.resolve(FramePosition("00:00:06:00")) }
    }

    /// Other rates and changing ones have no timecode, and say so.
    @Test func otherRatesAreWrongUsage() throws {
        var others = [try index(Rational(48), count: 100, unit: Rational(1, 48))]
        others.append(try index(Rational(15), count: 100, unit: Rational(1, 1000)))
        // One frame is missing; one is late; all are a little too slow.
        others.append(SyntheticIndex(times: (0..<100).map { Int64($0 < 50 ? $0 : $0 + 1) * 40 }).index)
        others.append(SyntheticIndex(times: (0..<100).map { Int64($0) * 40 + ($0 == 50 ? 5 : 0) }).index)
        others.append(SyntheticIndex(times: (0..<100).map { Int64($0) * 41 }).index)
        others.append(SyntheticIndex(times: [0, 0, 0]).index)
        for index in others {
            let error = #expect(throws: ScrubError.self) { try index.resolve(FramePosition("00:00:00:00")) }
            #expect(error?.code == .usage && error?.cause.contains("variable") == true)
        }
        // A label of another rate tells nothing.
        let odd = try index(Rational(25), count: 100, unit: Rational(1, 25), start: "00:00:00:29")
        #expect(odd.timecodes == nil)
        #expect(try frame("00:00:01:00", odd) == [25, 0])
    }

    /// A single frame has the rate that its duration says.
    @Test func oneFrameHasALabel() throws {
        var synthetic = SyntheticIndex(times: [0])
        synthetic.lastDuration = 40
        synthetic.facts.startTimecode = try Timecode("10:00:00:00")
        #expect(synthetic.index.timecodes?.timecode(ofFrame: 0).description == "10:00:00:00")
    }
}
