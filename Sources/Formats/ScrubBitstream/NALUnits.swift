/// The packing of NAL units in a packet.
package enum NALFraming: Sendable, Equatable {
    /// Each unit follows a start code (H.264 and HEVC Annex B).
    case annexB
    /// Each unit follows its size in 1 to 4 bytes (ISO/IEC 14496-15, `lengthSizeMinusOne` + 1).
    case lengthPrefixed(Int)

    /// The framing that goes with an H.264 or HEVC decoder configuration.
    ///
    /// avcC stores the size of the lengths in byte 4, hvcC in byte 21 (ISO/IEC 14496-15, 5.3.3.1.2 and 8.3.3.1.2). If
    /// there is no configuration, or if it begins with a start code, the framing is Annex B.
    package init(codec: VideoCodec, extradata: Span<UInt8>) {
        self = .annexB
        guard !StartCode.isAtStart(of: extradata) else { return }
        switch codec {
        case .h264 where extradata.count >= 7 && extradata[0] == 1:
            self = .lengthPrefixed(Int(extradata[4] & 3) + 1)
        // Files created before the standard was final have version 0.
        case .hevc where extradata.count >= 23 && extradata[0] <= 1:
            self = .lengthPrefixed(Int(extradata[21] & 3) + 1)
        default:
            break
        }
    }
}

/// Iterates over the NAL units of one packet, without copying.
///
/// A length-prefixed stream can contain packets that are really Annex B (careless remuxers). A packet that begins with
/// a start code and whose lengths do not lead exactly to its end is read as Annex B.
struct NALUnits: ~Escapable {
    private let bytes: Span<UInt8>
    private let lengthSize: Int
    private var position = 0
    private var startCodes: StartCodeUnits
    /// The number of bytes of the length before each unit; 0 if units follow start codes.
    var prefixSize: Int { lengthSize }
    /// Whether a length led beyond the packet's end. If so, the rest of the packet was returned as the last unit.
    private(set) var isOverrun = false

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, framing: NALFraming) {
        self.bytes = bytes
        var lengthSize = 0
        if case .lengthPrefixed(let size) = framing,
            !StartCode.isAtStart(of: bytes) || NALUnits.lengthsAddUp(bytes, lengthSize: size)
        {
            lengthSize = size
        }
        self.lengthSize = lengthSize
        // Searching a length-prefixed packet for start codes would read all of it unnecessarily.
        self.startCodes = StartCodeUnits(lengthSize == 0 ? bytes : bytes.extracting(0..<0))
    }

    /// Returns the next unit's range, or `nil` at the end. Empty units are skipped.
    @_lifetime(self: copy self)
    mutating func next() -> Range<Int>? {
        guard lengthSize > 0 else { return nextBehindStartCode() }
        while bytes.count - position >= lengthSize {
            let length = NALUnits.length(bytes, at: position, size: lengthSize)
            let start = position + lengthSize
            let end = start + length
            if end > bytes.count {
                isOverrun = true
                position = bytes.count
                return start < bytes.count ? start..<bytes.count : nil
            }
            position = end
            if length > 0 { return start..<end }
        }
        if position < bytes.count { isOverrun = true }
        return nil
    }

    /// Returns the next unit without trailing_zero_8bits and the next unit's zero_byte (B.1.1): the unit itself never
    /// ends in 0 (7.4.1).
    @_lifetime(self: copy self)
    private mutating func nextBehindStartCode() -> Range<Int>? {
        while let range = startCodes.next() {
            var end = range.upperBound
            while end > range.lowerBound, bytes[end - 1] == 0 { end -= 1 }
            if end > range.lowerBound { return range.lowerBound..<end }
        }
        return nil
    }

    private static func length(_ bytes: Span<UInt8>, at position: Int, size: Int) -> Int {
        var value = 0
        for index in position..<position + size { value = value << 8 | Int(bytes[index]) }
        return value
    }

    static func lengthsAddUp(_ bytes: Span<UInt8>, lengthSize: Int) -> Bool {
        var position = 0
        while bytes.count - position >= lengthSize {
            position += lengthSize + length(bytes, at: position, size: lengthSize)
        }
        return position == bytes.count
    }
}
