/// The time stamps in the header of a PES packet (ISO/IEC 13818-1, 2.4.3.6 and 2.4.3.7), in units of 1/90,000 s. They
/// have 33 bits and wrap around.
package struct PESHeader: Sendable, Equatable {
    /// The presentation time.
    package let presentationTime: Int64
    /// The decode time; the presentation time if the header has no other.
    package let decodeTime: Int64

    /// The period after which time stamps wrap around.
    package static let period: Int64 = 1 << 33
    /// The maximum number of bytes that are needed.
    package static let size = 19

    /// Reads the header of a packet of a video or audio stream.
    ///
    /// - Returns: `nil` if there is none, or if it has no time stamps.
    package init?(_ bytes: Span<UInt8>, at start: Int) {
        guard start >= 0, bytes.count - start >= 14, bytes[start] == 0, bytes[start + 1] == 0, bytes[start + 2] == 1,
            // Audio and video streams, and private and extended ones, which have the same header.
            bytes[start + 3] == 0xBD || (0xC0...0xEF).contains(bytes[start + 3]) || bytes[start + 3] == 0xFD,
            bytes[start + 6] & 0xC0 == 0x80, bytes[start + 7] & 0x80 != 0,
            let presentation = PESHeader.time(bytes, at: start + 9)
        else { return nil }
        presentationTime = presentation
        let hasDecodeTime = bytes[start + 7] & 0xC0 == 0xC0 && bytes.count - start >= PESHeader.size
        decodeTime = hasDecodeTime ? PESHeader.time(bytes, at: start + 14) ?? presentation : presentation
    }

    /// Reads a time stamp with its marker bits.
    private static func time(_ bytes: Span<UInt8>, at place: Int) -> Int64? {
        guard bytes[place] & 1 == 1, bytes[place + 2] & 1 == 1, bytes[place + 4] & 1 == 1 else { return nil }
        let high = Int64(bytes[place] >> 1 & 7) << 30
        let middle = Int64(bytes[place + 1]) << 22 | Int64(bytes[place + 2] >> 1) << 15
        return high | middle | Int64(bytes[place + 3]) << 7 | Int64(bytes[place + 4] >> 1)
    }
}

/// Time stamps that wrap around, as times that do not.
package struct WrappingClock: Sendable, Equatable {
    /// The lowest time.
    private let base: Int64

    /// Creates a clock whose times begin one minute before the first one, as libavformat's do.
    package init(first time: Int64) {
        let (base, overflow) = time.subtractingReportingOverflow(60 * 90_000)
        self.base = overflow ? time : base
    }

    /// Returns the time that differs from a time stamp by whole periods and is less than one period above the lowest
    /// time.
    package func time(of stamp: Int64) -> Int64 {
        let (distance, overflow) = stamp.subtractingReportingOverflow(base)
        guard !overflow else { return stamp }
        let period = PESHeader.period
        let rest = distance % period
        return base + (rest < 0 ? rest + period : rest)
    }
}
