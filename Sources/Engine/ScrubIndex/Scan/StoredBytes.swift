internal import ScrubFileIO
internal import ScrubBase

/// Bytes of a file at the places that a walk from packet to packet asks for.
///
/// Where packets follow each other closely, one long read has the bytes of many: it costs what two or three short ones
/// cost. Elsewhere, and of remote bytes, only those that were asked for are read.
struct StoredBytes {
    /// Fits the second cache of a processor.
    private static let longRead = 256 << 10
    /// The distance of packets up to which a long read is cheaper: some 0.6 us for a read, 10 GB/s for copying.
    private static let nearStride: Int64 = 16 << 10
    /// So many packets have to be near each other first.
    private static let mostSteps = 8

    var file: MediaSource {
        didSet { filled = 0 }
    }
    private var bytes: [UInt8] = []
    private var start: Int64 = 0
    /// The number of the bytes that are the file's.
    private var filled = 0
    private var previous: Int64 = -1
    /// Packets in a row that were near the one before.
    private var steps = 0

    init(_ file: MediaSource) { self.file = file }

    /// Records that a packet is near a place.
    mutating func note(packetAt place: Int64) {
        let (stride, overflow) = place.subtractingReportingOverflow(previous)
        let isNear = !overflow && stride >= 0 && stride <= StoredBytes.nearStride
        steps = isNear ? min(steps + 1, StoredBytes.mostSteps) : 0
        previous = place
    }

    /// Makes bytes ready.
    ///
    /// - Returns: false where they are not in the file, or cannot be read.
    mutating func read(at place: Int64, count: Int) -> Bool {
        guard place >= 0, count >= 0, file.contains(offset: place, count: Int64(count)) else { return false }
        if has(place, count) { return true }
        let isLong = steps == StoredBytes.mostSteps && file.file != nil
        let wanted = isLong ? Int(min(Int64(max(count, StoredBytes.longRead)), file.byteCount - place)) : count
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

    /// Returns bytes that were made ready.
    ///
    /// - Precondition: the last ``read(at:count:)`` was of these bytes.
    @_lifetime(borrow self)
    func span(at place: Int64, count: Int) -> Span<UInt8> {
        let first = Int(place - start)
        return bytes.span.extracting(first..<first + count)
    }
}
