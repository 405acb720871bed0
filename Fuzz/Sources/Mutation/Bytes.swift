/// Numbers in bytes, as containers have them.
extension Array where Element == UInt8 {
    /// A big-endian number of `width` bytes; 0 where the bytes end before it.
    func number(at place: Int, width: Int) -> UInt64 {
        guard place >= 0, place <= count - width else { return 0 }
        return self[place..<place + width].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Writes a big-endian number of `width` bytes where there is room for it.
    mutating func put(_ value: UInt64, at place: Int, width: Int) {
        guard place >= 0, place <= count - width else { return }
        for index in 0..<width {
            self[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))
        }
    }

    /// A little-endian number of `width` bytes; 0 where the bytes end before it.
    func littleNumber(at place: Int, width: Int) -> UInt64 {
        guard place >= 0, place <= count - width else { return 0 }
        return self[place..<place + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Writes a little-endian number of `width` bytes where there is room for it.
    mutating func putLittle(_ value: UInt64, at place: Int, width: Int) {
        guard place >= 0, place <= count - width else { return }
        for index in 0..<width { self[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }

    /// Bytes of a big-endian number.
    init(_ value: UInt64, width: Int) {
        self = (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - $0))) }
    }

    /// Whether `text` stands at `place`.
    func has(_ text: String, at place: Int) -> Bool {
        place >= 0 && place <= count - text.utf8.count && self[place..<place + text.utf8.count].elementsEqual(text.utf8)
    }
}
