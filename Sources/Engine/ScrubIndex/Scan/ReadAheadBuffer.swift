internal import ScrubFileIO
internal import ScrubBase

/// Bytes of a file at the positions that a pass from packet to packet requests.
///
/// If packets are close together, one long read covers many of them and costs as much as two or three short reads.
/// Elsewhere, and for remote files, only the requested bytes are read.
struct ReadAheadBuffer {
    /// The size of a long read, which fits in a processor's second-level cache.
    private static let longRead = 256 << 10
    /// The distance between packets up to which a long read is cheaper: about 0.6 µs for a read, 10 GB/s for copying.
    private static let nearStride: Int64 = 16 << 10
    /// The number of packets that must be close together first.
    private static let mostSteps = 8

    var file: MediaSource {
        didSet { filled = 0 }
    }
    private var bytes: [UInt8] = []
    private var start: Int64 = 0
    /// The number of valid bytes.
    private var filled = 0
    private var previous: Int64 = -1
    /// The number of consecutive packets that were close to the previous one.
    private var steps = 0

    init(_ file: MediaSource) { self.file = file }

    /// Records that a packet is near a position.
    mutating func note(packetAt place: Int64) {
        let (stride, overflow) = place.subtractingReportingOverflow(previous)
        let isNear = !overflow && stride >= 0 && stride <= ReadAheadBuffer.nearStride
        steps = isNear ? min(steps + 1, ReadAheadBuffer.mostSteps) : 0
        previous = place
    }

    /// Reads bytes.
    ///
    /// - Returns: false if they are not in the file, or cannot be read.
    mutating func read(at place: Int64, count: Int) -> Bool {
        guard place >= 0, count >= 0, file.contains(offset: place, count: Int64(count)) else { return false }
        if has(place, count) { return true }
        let isLong = steps == ReadAheadBuffer.mostSteps && file.file != nil
        let wanted = isLong ? Int(min(Int64(max(count, ReadAheadBuffer.longRead)), file.byteCount - place)) : count
        filled = 0
        if bytes.count < wanted { bytes = [UInt8](repeating: 0, count: wanted) }
        let file = file
        var room = bytes.mutableSpan
        do throws(ScrubError) {
            try unsafe room.withUnsafeMutableBytes { (all) throws(ScrubError) in
                try unsafe file.read(at: place, into: UnsafeMutableRawBufferPointer(rebasing: all[..<wanted]))
            }
        } catch {
            return false
        }
        (start, filled) = (place, wanted)
        return true
    }

    private func has(_ place: Int64, _ count: Int) -> Bool {
        place >= start && place - start <= Int64(filled) && Int64(count) <= Int64(filled) - (place - start)
    }

    /// Returns bytes that were read.
    ///
    /// - Precondition: the last ``read(at:count:)`` was for these bytes.
    @_lifetime(borrow self)
    func span(at place: Int64, count: Int) -> Span<UInt8> {
        let first = Int(place - start)
        return bytes.span.extracting(first..<first + count)
    }
}
