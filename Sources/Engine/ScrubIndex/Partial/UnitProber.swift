internal import ScrubFileIO
internal import ScrubMPEGSystems
internal import ScrubBase

/// Finds the beginnings of pictures in a transport stream or a program stream, with their times.
struct UnitProber: PlaceProber {
    /// The way in which units are found.
    enum Container: Sendable {
        case transport(TransportLayout, stream: Int)
        case program(stream: UInt8)
    }

    let container: Container
    let file: MediaSource
    let clock: WrappingClock

    /// The number of bytes that are read at a time. The restart before a picture is often among them.
    private static let probeSize: Int64 = 256 << 10
    var usualDistance: Int64 { Self.probeSize / 2 }
    /// The number of bytes without a picture after which the search ends: longer than any picture.
    private static let limit: Int64 = 32 << 20

    mutating func firstPlace(in range: Range<Int64>) throws(ScrubError) -> TimedPlace? {
        var (from, length) = (range.lowerBound, Self.probeSize)
        while from < range.upperBound, from - range.lowerBound < Self.limit {
            let part = from..<min(range.upperBound, from + length)
            if let first = try units(in: part, limit: 1).first { return first.place }
            guard part.upperBound < range.upperBound else { return nil }
            // A header may extend beyond the piece.
            from = part.upperBound - Self.overlap
            length = min(2 * length, 1 << 20)
        }
        return nil
    }

    mutating func lastPlace(in range: Range<Int64>) throws(ScrubError) -> TimedPlace? {
        try units(in: range).last?.place
    }

    /// A picture's beginning.
    struct Unit: Sendable {
        var place: TimedPlace
        var presentationTime: Int64
        var isRandomAccess: Bool
    }

    /// The bytes that pieces share, so that a packet with a header is in one of them.
    private static let overlap: Int64 = 512

    /// Returns the pictures that begin in a range of the file.
    func units(in range: Range<Int64>, limit: Int = .max) throws(ScrubError) -> [Unit] {
        guard !range.isEmpty else { return [] }
        if !file.expects(range) { file.expectNext([range]) }
        let bytes = try file.read(at: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
        let found =
            switch container {
            case .transport(let layout, let stream): layout.units(of: stream, in: bytes.span, limit: limit)
            case .program(let stream): ProgramPacks.units(of: stream, in: bytes.span, limit: limit)
            }
        return found.map { unit in
            Unit(
                place: TimedPlace(
                    offset: range.lowerBound + Int64(unit.position), time: clock.time(of: unit.decodeTime)),
                presentationTime: clock.time(of: unit.presentationTime), isRandomAccess: unit.isRandomAccess)
        }
    }
}
