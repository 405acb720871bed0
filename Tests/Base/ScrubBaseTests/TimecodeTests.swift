import ScrubBase
import ScrubTestSupport
import Testing

@Suite struct TimecodeTests {
    private static func rate(_ name: String) throws -> Timecode.Rate {
        try #require(Timecode.Rate.all.first { $0.description == name })
    }

    /// Labels and the frames before them, as SMPTE ST 12-1 counts.
    @Test(
        arguments: [
            ("00:00:00:00", "25", 0), ("00:00:01:00", "24", 24), ("00:00:01:00", "23.976", 24),
            ("01:00:00:00", "30", 108_000),
            ("01:00:00:00", "29.97", 108_000), ("23:59:59:24", "25", 2_159_999), ("00:01:00:00", "50", 3000),
            ("00:00:59;29", "29.97", 1799), ("00:01:00;02", "29.97", 1800), ("00:01:59;29", "29.97", 3597),
            ("00:02:00;02", "29.97", 3598), ("00:09:59;29", "29.97", 17_981), ("00:10:00;00", "29.97", 17_982),
            ("01:00:00;00", "29.97", 107_892), ("23:59:59;29", "29.97", 2_589_407),
            ("00:00:59;59", "59.94", 3599), ("00:01:00;04", "59.94", 3600), ("00:10:00;00", "59.94", 35_964),
            ("23:59:59;59", "59.94", 5_178_815),
        ] as [(String, String, Int)])
    func labelsAreFrames(_ text: String, _ name: String, _ number: Int) throws {
        let (label, rate) = (try Timecode(text), try Self.rate(name))
        #expect(label.description == text)
        #expect(try label.frameNumber(at: rate) == number)
        #expect(Timecode(frameNumber: number, rate: rate, isDropFrame: label.isDropFrame) == label)
    }

    /// All 24 hours of every rate: each frame has a label of its own, greater than the one before, and back.
    @Test(arguments: Timecode.Rate.all, [false, true])
    func everyFrameOfADay(_ rate: Timecode.Rate, isDropFrame: Bool) throws {
        guard !isDropFrame || rate.supportsDropFrame else { return }
        let day = rate.framesPerDay(isDropFrame: isDropFrame)
        var random = SplitMix(UInt64(rate.nominal))
        // The beginnings of minutes, where labels are left out, and others.
        let minutes = (0..<1440).map { $0 * day / 1440 }
        let near = minutes.flatMap { start in (-6...6).map { start + $0 } }.filter { (0..<day - 1).contains($0) }
        for number in near + (0..<5000).map({ _ in Int.random(in: 0..<day - 1, using: &random) }) {
            let label = Timecode(frameNumber: number, rate: rate, isDropFrame: isDropFrame)
            guard try label.frameNumber(at: rate) == number else {
                Issue.record("\(number) became \(label)")
                return
            }
            let next = Timecode(frameNumber: number + 1, rate: rate, isDropFrame: isDropFrame)
            let parts = { (t: Timecode) in ((t.hours * 60 + t.minutes) * 60 + t.seconds) * 100 + t.frames }
            guard parts(label) < parts(next) else {
                Issue.record("\(next) follows \(label)")
                return
            }
        }
        #expect(Timecode(frameNumber: day, rate: rate, isDropFrame: isDropFrame).description.hasPrefix("00:00:00"))
        #expect(Timecode(frameNumber: -1, rate: rate, isDropFrame: isDropFrame).description.hasPrefix("23:59:59"))
        _ = Timecode(frameNumber: .max, rate: rate, isDropFrame: isDropFrame)
        _ = Timecode(frameNumber: .min, rate: rate, isDropFrame: isDropFrame)
    }

    /// Drop-frame keeps up with the clock: after an hour it is 3.6 ms off, at most two frames on the way.
    @Test func dropFrameFollowsTheClock() throws {
        let rate = try Self.rate("29.97")
        for second in stride(from: 0, to: 86_400, by: 7) {
            let number = second * 30_000 / 1001
            let label = Timecode(frameNumber: number, rate: rate, isDropFrame: true)
            let shown = ((label.hours * 60 + label.minutes) * 60 + label.seconds) * 30 + label.frames
            #expect(abs(shown - second * 30) <= 4, "\(label) at \(second) s")
        }
    }

    @Test(
        arguments: [
            ("00:01:00;00", "29.97", "does not exist"), ("00:01:00;01", "29.97", "does not exist"),
            ("00:59:00;03", "59.94", "does not exist"), ("00:00:00:25", "25", "no frame 25"),
            ("00:00:00:30", "29.97", "no frame 30"), ("00:00:01;00", "30", "does not exist"),
            ("00:00:01;00", "23.976", "does not exist"), ("00:00:01;00", "25", "does not exist"),
        ])
    func labelsThatARateLacksAreWrongUsage(_ text: String, _ name: String, _ reason: String) throws {
        let (label, rate) = (try Timecode(text), try Self.rate(name))
        let error = #expect(throws: ScrubError.self) { try label.frameNumber(at: rate) }
        #expect(error?.code == .usage && error?.cause.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test func ratesAreKnownExactly() {
        #expect(Timecode.Rate(framesPerSecond: Rational(30_000, 1001))?.description == "29.97")
        #expect(Timecode.Rate(framesPerSecond: Rational(60))?.nominal == 60)
        for other in [Rational(2997, 100), Rational(48), Rational(0), Rational(-25)] {
            #expect(Timecode.Rate(framesPerSecond: other) == nil)
        }
    }

    @Test(arguments: [(100, 0, 0, 0), (0, 60, 0, 0), (0, 0, 60, 0), (0, 0, 0, 60), (-1, 0, 0, 0), (0, 0, 0, .max)])
    func partsHaveLimits(_ hours: Int, _ minutes: Int, _ seconds: Int, _ frames: Int) {
        #expect(throws: ScrubError.self) {
            try Timecode(hours: hours, minutes: minutes, seconds: seconds, frames: frames)
        }
    }

    /// The labels of a file may go on after a day.
    @Test func hoursGoOnAfterADay() throws {
        for hours in [24, 99] {
            let label = try Timecode(hours: hours, minutes: 0, seconds: 0, frames: 0)
            #expect(label.description == "\(hours):00:00:00")
        }
    }
}
