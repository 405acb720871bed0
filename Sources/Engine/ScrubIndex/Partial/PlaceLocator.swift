internal import ScrubFileIO
internal import ScrubBase

/// A place in a file from which pictures can be read, with the time that is written there.
struct TimedPlace: Sendable, Equatable {
    var offset: Int64
    /// In time base units.
    var time: Int64
}

/// Finds places in parts of a file.
protocol PlaceProber: Sendable {
    /// The number of bytes in which a place is usually found.
    var usualDistance: Int64 { get }
    /// Returns the first place in a range of the file.
    mutating func firstPlace(in range: Range<Int64>) throws(ScrubError) -> TimedPlace?
    /// Returns the last place in a range of the file.
    mutating func lastPlace(in range: Range<Int64>) throws(ScrubError) -> TimedPlace?
}

/// Finds places by time, in a file whose times ascend, by interpolation and bisection.
///
/// Cost: the last place once, and about four probes for each time. Places that were found are remembered.
struct PlaceLocator<Prober: PlaceProber>: Sendable {
    private(set) var prober: Prober
    private let file: MediaSource
    /// The places that were found, in ascending order of offsets and times. The first one is the film's.
    private var seen: [TimedPlace]
    /// The offset after which there are no places.
    private let end: Int64
    private var knowsLast = false

    /// The distance in bytes below which reading on is cheaper than another probe.
    private static var nearDistance: Int64 { 256 << 10 }
    /// The number of bytes after the guessed place that are fetched with it.
    private static var readOn: Int64 { 64 << 10 }
    /// The number of bytes within which the beginning of a place is recognized.
    private static var overlap: Int64 { 512 }
    /// The maximum number of probes, and the number of those that interpolate.
    private static var maximumProbes: Int { 40 }
    private static var interpolations: Int { 6 }
    /// The number of bytes at the end in which the last place is searched, first and at most.
    private static var tailSizes: ClosedRange<Int64> { 256 << 10...16 << 20 }

    init(_ prober: Prober, in file: MediaSource, first: TimedPlace, end: Int64) {
        (self.prober, self.file, seen, self.end) = (prober, file, [first], end)
    }

    /// Returns the last place that is presumably not later than a time.
    ///
    /// - Throws: the errors of reading; `badData` if the times do not ascend.
    mutating func place(for time: Int64) throws(ScrubError) -> TimedPlace {
        if !knowsLast, seen[seen.count - 1].time <= time { try findLast() }
        var probes = 0
        while true {
            let above = seen.partitioningIndex { $0.time > time }
            guard above > 0 else { return seen[0] }
            let low = seen[above - 1]
            guard above < seen.count else { return low }
            let high = seen[above]
            // The place that was found need not be the last one: reading goes on from there in any case.
            let share = (Double(time) - Double(low.time)) / max(1, Double(high.time) - Double(low.time))
            let distance = Int64(share * Double(high.offset - low.offset))
            guard distance > Self.nearDistance, high.offset - low.offset > 1, probes < Self.maximumProbes else {
                return low
            }
            probes += 1
            // Interpolation that does not converge is replaced by bisection.
            let guess = probes > Self.interpolations ? (high.offset - low.offset) / 2 : distance
            guard try probe(between: low, high, at: low.offset + guess) else { return low }
        }
    }

    /// Returns a place before an offset; `nil` if there is none.
    ///
    /// - Parameter distance: the number of bytes by which to go back at least.
    mutating func place(before offset: Int64, distance: Int64) throws(ScrubError) -> TimedPlace? {
        guard offset > seen[0].offset else { return nil }
        let from = offset - max(distance, prober.usualDistance)
        guard from > seen[0].offset else { return seen[0] }
        announce(from..<offset)
        return try prober.firstPlace(in: from..<offset) ?? seen[0]
    }

    /// Reads places that are evenly spread over the file.
    ///
    /// - Throws: `badData` if their times do not ascend.
    mutating func sample(_ count: Int) throws(ScrubError) {
        if !knowsLast { try findLast() }
        let length = end / Int64(max(1, count))
        for number in 1..<max(2, count) {
            let from = length * Int64(number)
            if let found = try prober.firstPlace(in: from..<end) { try insert(found) }
        }
    }

    /// Returns the last place.
    mutating func lastPlace() throws(ScrubError) -> TimedPlace {
        if !knowsLast { try findLast() }
        return seen[seen.count - 1]
    }

    /// Reads a place between two others.
    ///
    /// - Returns: false if there is none.
    private mutating func probe(
        between low: TimedPlace, _ high: TimedPlace, at guess: Int64
    ) throws(ScrubError) -> Bool {
        // A place that is slightly too early costs less than one that is too late.
        var from = min(max(guess - prober.usualDistance, low.offset + 1), high.offset - 1)
        // The pictures after the place are read next.
        var end = min(high.offset, guess + Self.readOn)
        var limit = high.offset
        while true {
            announce(from..<max(from, end))
            if let found = try prober.firstPlace(in: from..<limit) {
                try insert(found)
                return true
            }
            // Nothing begins between the guess and the upper bound.
            guard from > low.offset + 1 else { return false }
            (end, limit) = (from, min(high.offset, from + Self.overlap))
            from = low.offset + max(1, (from - low.offset) / 2)
        }
    }

    private mutating func findLast() throws(ScrubError) {
        knowsLast = true
        var size = Self.tailSizes.lowerBound
        let known = seen[seen.count - 1]
        while true {
            let from = max(known.offset + 1, end - size)
            guard from < end else { return }
            announce(from..<end)
            if let last = try prober.lastPlace(in: from..<end) { return try insert(last) }
            guard from > known.offset + 1 else { return }
            guard size < Self.tailSizes.upperBound else {
                throw ScrubError(.badData, "its last \(size) bytes contain no pictures")
            }
            size *= 2
        }
    }

    /// Adds a place.
    ///
    /// - Throws: `badData` if its time does not fit between those of its neighbors.
    private mutating func insert(_ place: TimedPlace) throws(ScrubError) {
        let above = seen.partitioningIndex { $0.offset >= place.offset }
        if above < seen.count, seen[above].offset == place.offset { return }
        guard above == 0 || seen[above - 1].time <= place.time,
            above == seen.count || place.time <= seen[above].time
        else { throw ScrubError(.badData, "its times do not ascend", place: .byte(place.offset)) }
        seen.insert(place, at: above)
    }

    private func announce(_ range: Range<Int64>) {
        if !range.isEmpty { file.expect([range.clamped(to: 0..<file.byteCount)]) }
    }
}
