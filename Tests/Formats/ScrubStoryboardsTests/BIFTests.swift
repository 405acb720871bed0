import ScrubBase
import ScrubStoryboards
import Testing

@Suite struct BIFTests {
    @Test func theHeadIsAsRokuDescribesIt() throws {
        let bif = try Storyboard.BIF(multiplier: 10_000, timestamps: [0, 1], byteCounts: [5, 0x10203])
        let zeros = [UInt8](repeating: 0, count: 44)
        let words: [[UInt8]] = [
            [0x89, 0x42, 0x49, 0x46, 0x0D, 0x0A, 0x1A, 0x0A], [0, 0, 0, 0], [2, 0, 0, 0], [0x10, 0x27, 0, 0], zeros,
            [0, 0, 0, 0], [88, 0, 0, 0], [1, 0, 0, 0], [93, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x60, 0x02, 0x01, 0],
        ]
        #expect(bif.header == words.flatMap(\.self))
        #expect(bif.byteCount == 93 + 0x10203)
        #expect(bif.entries.map(\.byteRange) == [88..<93, 93..<93 + 0x10203])
        #expect((0..<2).map(bif.milliseconds) == [0, 10_000])
    }

    /// 32-bit offsets end one byte before 4 GiB.
    @Test func fourGibibytesAreRefused() throws {
        let room = Int(UInt32.max) - 80
        #expect(try Storyboard.BIF(multiplier: 1, timestamps: [0], byteCounts: [room]).byteCount == Int(UInt32.max))
        for sizes in [[room + 1], [.max]] {
            let error = #expect(throws: ScrubError.self) {
                try Storyboard.BIF(multiplier: 1, timestamps: [0], byteCounts: sizes)
            }
            #expect(error?.code == .usage)
        }
        #expect(throws: ScrubError.self) {
            try Storyboard.BIF(multiplier: 1, timestamps: [0, 1, 2], byteCounts: [room / 2, room / 2, 100])
        }
    }

    private static let wrong: [(UInt32, [UInt32], [Int])] = [
        (0, [0], [1]), (1, [], []), (1, [0, 0], [1, 1]), (1, [1, 0], [1, 1]), (1, [0], [0]), (1, [0], [-1]),
        (1, [.max], [1]), (1, [0, 1], [1]),
    ]

    @Test func unrepresentableSetsAreRefused() {
        for (multiplier, timestamps, sizes) in Self.wrong {
            let error = #expect(throws: ScrubError.self) {
                try Storyboard.BIF(multiplier: multiplier, timestamps: timestamps, byteCounts: sizes)
            }
            #expect(error?.code == .usage)
        }
    }

    private func set(_ starts: [Rational], _ duration: Rational, columns: Int = 1) throws -> Storyboard {
        try SampleSets.set(count: starts.count, columns: columns, rows: 1, duration: duration, starts: starts)
    }

    @Test func setsBecomeIntervalsOrExactTimes() throws {
        let even = try set([.zero, Rational(5, 2), Rational(5)], Rational(7))
        #expect(try Storyboard.BIF(even).multiplier == 2500)
        #expect(try Storyboard.BIF(even).entries.map(\.timestamp) == [0, 1, 2])
        #expect(try Storyboard.BIF(even, timing: .exact).multiplier == 1)
        #expect(try Storyboard.BIF(even, timing: .exact).entries.map(\.timestamp) == [0, 2500, 5000])
        #expect(try Storyboard.BIF(try set([.zero], Rational(1001, 3000))).multiplier == 334)
        let uneven = try set([.zero, .one, Rational(7, 2)], Rational(7))
        #expect(throws: ScrubError.self) { try Storyboard.BIF(uneven) }
        #expect(try Storyboard.BIF(uneven, timing: .exact).entries.map(\.timestamp) == [0, 1000, 3500])
        // Thirds of a second are not whole milliseconds.
        #expect(throws: ScrubError.self) { try Storyboard.BIF(try set([.zero, Rational(1, 3)], Rational(2, 3))) }
        #expect(throws: ScrubError.self) { try Storyboard.BIF(try set([.zero, .one], Rational(2), columns: 2)) }
        let late = try set([.zero, Rational(4_294_968)], Rational(4_294_969))
        #expect(throws: ScrubError.self) { try Storyboard.BIF(late, timing: .exact) }
    }

    @Test func aMultiplierOfZeroIsASecond() throws {
        var header = try Storyboard.BIF(multiplier: 7, timestamps: [3], byteCounts: [1]).header
        header[16] = 0
        #expect(try Storyboard.BIF(parsing: header + [0]).milliseconds(of: 0) == 3000)
    }

    @Test func names() {
        #expect(Storyboard.BIF.plexName == "index-sd.bif")
        #expect(Storyboard.BIF.embyName(base: "Movie", width: 320, interval: 10) == "Movie-320-10.bif")
    }
}
