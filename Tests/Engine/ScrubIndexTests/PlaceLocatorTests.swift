@testable import ScrubIndex
import ScrubBase
import ScrubFileIO
import Testing

/// Places every so many bytes, whose times grow as a function says. Counts the probes.
private struct FakeProber: PlaceProber {
    let spacing: Int64
    let end: Int64
    let time: @Sendable (Int64) -> Int64
    var usualDistance: Int64 { spacing }
    let probes = Locked(0)

    func place(_ number: Int64) -> TimedPlace { TimedPlace(offset: number * spacing, time: time(number)) }

    mutating func firstPlace(in range: Range<Int64>) throws(ScrubError) -> TimedPlace? {
        probes.withLock { $0 += 1 }
        let number = (range.lowerBound + spacing - 1) / spacing
        return number * spacing < min(range.upperBound, end) ? place(number) : nil
    }

    mutating func lastPlace(in range: Range<Int64>) throws(ScrubError) -> TimedPlace? {
        probes.withLock { $0 += 1 }
        let number = (min(range.upperBound, end) - 1) / spacing
        return number * spacing >= range.lowerBound ? place(number) : nil
    }
}

@Suite struct PlaceLocatorTests {
    private static let size: Int64 = 1 << 32

    private func locator(
        spacing: Int64 = 300_000, size: Int64 = size, _ time: @escaping @Sendable (Int64) -> Int64
    ) throws -> (PlaceLocator<FakeProber>, FakeProber) {
        let file = try MediaSource(MemorySource([0]), name: "film")
        let prober = FakeProber(spacing: spacing, end: size, time: time)
        return (PlaceLocator(prober, in: file, first: prober.place(0), end: size), prober)
    }

    /// Films of a constant rate, of rates that differ by a factor of fifty, and with a jump.
    static let rates: [@Sendable (Int64) -> Int64] = [
        { $0 * 5000 },
        { $0 < 5000 ? $0 * 100 : 500_000 + ($0 - 5000) * 5000 },
        { $0 < 9000 ? $0 * 5000 : 45_000_000 + ($0 - 9000) * 100 },
        { $0 < 7000 ? $0 * 1000 : $0 * 1000 + 3_600_000 },
    ]

    @Test(arguments: 0..<rates.count) func thePlaceBeforeATimeIsFound(_ rate: Int) throws {
        let time = PlaceLocatorTests.rates[rate]
        let last = time((PlaceLocatorTests.size - 1) / 300_000)
        for part in 0...20 {
            var (locator, prober) = try locator(time)
            let wanted = last / 20 * Int64(part) + 17
            let found = try locator.place(for: wanted)
            #expect(found.time <= wanted, "\(part)")
            // It is the last one, or so near that reading on costs less than another probe.
            let next = (0..<20).first { prober.place(found.offset / 300_000 + $0 + 1).time > wanted }
            #expect(next != nil, "\(part): \(found)")
            #expect(prober.probes.withLock { $0 } <= 24, "\(part)")
        }
    }

    @Test func aSteadyRateNeedsFewProbes() throws {
        var (locator, prober) = try locator { $0 * 5000 }
        _ = try locator.place(for: 12_345_678)
        // The end, and one place.
        #expect(prober.probes.withLock { $0 } <= 3)
        _ = try locator.place(for: 12_355_678)
        #expect(prober.probes.withLock { $0 } <= 5)
    }

    @Test func timesThatDoNotAscendAreRefused() throws {
        var (locator, _) = try locator { $0 < 7000 ? 10_000_000 + $0 * 5000 : $0 * 10 }
        #expect(throws: ScrubError.self) {
            for part in 0..<10 { _ = try locator.place(for: 10_000_000 + Int64(part) * 3_000_000) }
        }
    }

    @Test func earlierPlacesGoBackToTheFirst() throws {
        var (locator, prober) = try locator { $0 * 5000 }
        var place = prober.place(1000).offset
        var steps = 0
        while let earlier = try locator.place(before: place, distance: 1 << 20) {
            #expect(earlier.offset < place)
            place = earlier.offset
            steps += 1
        }
        #expect(place == 0)
        #expect(steps <= 1000 * 300_000 / ((1 << 20) - 300_000) + 2)
    }
}
