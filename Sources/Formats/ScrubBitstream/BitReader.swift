/// The reason why a header could not be read. It never leaves this module; callers see ``CodedPicture/isUnderstood``.
enum HeaderError: Error {
    /// The bytes end inside the header.
    case truncated
    /// A value is outside the range that the standard allows.
    case invalid
    /// The header refers to a parameter set that has not been seen.
    case missingParameterSet
}

/// A checked reader of most-significant-bit-first fields, as used by all video standards in this module.
///
/// It reads in place. If `isEscaped` is set, the emulation prevention bytes of H.264 (7.4.1) and HEVC (7.4.2) are
/// skipped while reading. Reading a slice's header therefore costs only its own bytes, however long the slice is. Every
/// read past the end throws ``HeaderError/truncated``.
struct BitReader: ~Escapable {
    private let bytes: Span<UInt8>
    private let isEscaped: Bool
    /// The next byte to load into the cache.
    private var next = 0
    /// The number of zero bytes in a row so far, for finding emulation prevention bytes.
    private var zeroRun = 0
    /// Bits already loaded from the bytes; the lowest `cachedBits` bits are still unread.
    private var cache: UInt64 = 0
    private var cachedBits = 0

    /// Reads from the first bit of `bytes`.
    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, isEscaped: Bool = false) {
        self.bytes = bytes
        self.isEscaped = isEscaped
    }

    /// The index of the byte that contains the next unread bit, if nothing is escaped.
    var byteIndex: Int { next - (cachedBits + 7) / 8 }

    /// The number of bits read so far, if nothing is escaped.
    var bitIndex: Int { next * 8 - cachedBits }

    /// Whether the next unread bit is the first of a byte.
    var isAligned: Bool { cachedBits % 8 == 0 }

    @_lifetime(self: copy self)
    private mutating func fill() throws(HeaderError) {
        // 00 00 03: the third byte is not data (nal_unit, H.264 7.3.1 and HEVC 7.3.1.1).
        if isEscaped, zeroRun >= 2, next < bytes.count, bytes[next] == 3 {
            next += 1
            zeroRun = 0
        }
        guard next < bytes.count else { throw .truncated }
        let byte = bytes[next]
        next += 1
        zeroRun = byte == 0 ? zeroRun + 1 : 0
        cache = cache << 8 | UInt64(byte)
        cachedBits += 8
    }

    /// Returns the next `count` bits as an unsigned number, u(n); `count` is at most 32.
    @_lifetime(self: copy self)
    mutating func bits(_ count: Int) throws(HeaderError) -> Int {
        precondition(count >= 0 && count <= 32, "a field has at most 32 bits")
        while cachedBits < count { try fill() }
        cachedBits -= count
        let value = cache >> UInt64(cachedBits) & (1 << UInt64(count) - 1)
        return Int(value)
    }

    /// Returns the next bit as a flag, u(1).
    @_lifetime(self: copy self)
    mutating func flag() throws(HeaderError) -> Bool {
        try bits(1) == 1
    }

    /// Skips `count` bits, however many.
    @_lifetime(self: copy self)
    mutating func skip(_ count: Int) throws(HeaderError) {
        var left = count
        while left > 32 {
            _ = try bits(32)
            left -= 32
        }
        _ = try bits(left)
    }

    /// Returns an unsigned Exp-Golomb number, ue(v) (H.264 and HEVC 9.1 / 9.2), at most `limit`.
    @_lifetime(self: copy self)
    mutating func unsigned(max limit: Int = 0xFFFF_FFFE) throws(HeaderError) -> Int {
        var zeros = 0
        while try bits(1) == 0 {
            zeros += 1
            // 32 zeros would code a number above 2^32 - 2, which is not allowed for any syntax element.
            guard zeros < 32 else { throw .invalid }
        }
        let value = (1 << zeros) - 1 + (try bits(zeros))
        guard value <= limit else { throw .invalid }
        return value
    }

    /// Returns a signed Exp-Golomb number, se(v) (H.264 9.1.1, HEVC 9.2.2).
    @_lifetime(self: copy self)
    mutating func signed() throws(HeaderError) -> Int {
        let code = try unsigned()
        return code % 2 == 0 ? -(code / 2) : code / 2 + 1
    }

    /// Skips a flag and, if it is set, the field after it, as in `..._present_flag` pairs.
    @_lifetime(self: copy self)
    mutating func optionalSkip(_ count: Int) throws(HeaderError) {
        if try flag() { try skip(count) }
    }
}
