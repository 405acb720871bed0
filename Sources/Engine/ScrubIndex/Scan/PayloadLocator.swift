package import ScrubFileIO
package import ScrubLibAV
internal import ScrubBase

/// Locates the bytes of a packet in the file, so that they can be read again without a demuxer.
///
/// libavformat reports roughly where a packet begins: at its block, tag, or chunk header. The payload follows a few
/// bytes later, at a distance that is nearly always the same. The guess is verified by comparing bytes. If a packet is
/// not found there in one piece (interleaved transport packets, stripped or added headers), the whole stream is read
/// through libavformat instead.
package struct PayloadLocator {
    /// The number of bytes to search after the demuxer's position, which is more than the largest common header.
    private static let window = 256
    /// The number of packets that are compared completely. For later ones, the beginning, the middle, and the end are
    /// compared, if these can be at one position only.
    private static let comparedWhole = 64
    private static let sample = 64

    var file: MediaSource { didSet { stored.file = file } }
    private var stored: ReadAheadBuffer
    private var distance: Int64 = 0
    private var previousEnd: Int64 = 0
    private var located = 0
    /// The demuxer's position of the previous packet: frames laced in one block share it.
    private var previousPosition: Int64 = -1
    private var isComparedWhole = true

    package init(_ file: MediaSource) { (self.file, stored) = (file, ReadAheadBuffer(file)) }

    /// Returns the offset of the packet's payload; `nil` if it is not there in one piece.
    package mutating func locate(_ packet: borrowing Packet) -> Int64? {
        let position = packet.filePosition
        isComparedWhole =
            located < PayloadLocator.comparedWhole || position <= previousPosition
            || PayloadLocator.isPlain(packet.bytes, sample: PayloadLocator.sample)
        previousPosition = position
        stored.note(packetAt: position)
        var found: Int64?
        // A sandboxed worker or a damaged table may report any position.
        let usual = position.addingReportingOverflow(distance)
        if position >= 0, !usual.overflow, matches(packet, at: usual.partialValue) {
            found = usual.partialValue
        } else if matches(packet, at: previousEnd) {
            found = previousEnd
        } else if position >= 0 {
            found = search(packet, from: position)
        }
        guard let found else { return nil }
        if position >= 0 { distance = found - position }
        previousEnd = found + Int64(packet.count)
        located += 1
        return found
    }

    private mutating func search(_ packet: borrowing Packet, from position: Int64) -> Int64? {
        let room = min(Int64(PayloadLocator.window), file.byteCount - position)
        guard room > 0 else { return nil }
        for distance in 0..<room where matches(packet, at: position + distance) { return position + distance }
        return nil
    }

    private mutating func matches(_ packet: borrowing Packet, at offset: Int64) -> Bool {
        let count = packet.count
        guard offset >= 0, file.contains(offset: offset, count: Int64(count)) else { return false }
        let sample = PayloadLocator.sample
        guard same(packet, 0..<min(sample, count), at: offset) else { return false }
        if isComparedWhole { return same(packet, 0..<count, at: offset) }
        let middle = count / 2
        return same(packet, middle..<min(middle + sample, count), at: offset)
            && same(packet, max(0, count - sample)..<count, at: offset)
    }

    /// Returns whether the beginning, the middle, and the end repeat some bytes further on, like areas of one color in
    /// raw pictures. If so, they do not prove a position.
    private static func isPlain(_ bytes: Span<UInt8>, sample: Int) -> Bool {
        let count = bytes.count
        guard count > sample else { return false }
        let starts = [0, count / 2, count - sample]
        return (1...sample / 2).contains { shift in
            starts.allSatisfy { start in
                let end = min(start + sample, count)
                return (start + shift..<max(start + shift, end)).allSatisfy { bytes[$0] == bytes[$0 - shift] }
            }
        }
    }

    private mutating func same(_ packet: borrowing Packet, _ range: Range<Int>, at offset: Int64) -> Bool {
        let bytes = packet.bytes
        for first in stride(from: range.lowerBound, to: range.upperBound, by: PayloadLocator.piece) {
            let (place, count) = (offset + Int64(first), min(PayloadLocator.piece, range.upperBound - first))
            guard stored.read(at: place, count: count) else { return false }
            let stored = stored.span(at: place, count: count)
            for i in stored.indices where bytes[first + i] != stored[i] { return false }
        }
        return true
    }

    /// The number of bytes that are compared at once.
    private static let piece = 256 << 10
}
