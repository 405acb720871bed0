package import ScrubBase

extension Storyboard.BIF {
    /// Parses the head of a BIF file.
    ///
    /// - Parameters:
    ///   - bytes: the file's first bytes, at least up to the end of the index.
    ///   - byteCount: the size of the file, if `bytes` does not contain all of it.
    /// - Throws: ``ScrubError/Code/badData`` with the byte offset if the bytes are not a BIF file of version 0 or if a
    ///   picture would extend beyond the file.
    package init(parsing bytes: [UInt8], byteCount: Int? = nil) throws(ScrubError) {
        let end = max(byteCount ?? bytes.count, bytes.count)
        guard bytes.count >= Storyboard.BIF.fixedByteCount + 8 else {
            throw Storyboard.BIF.fault(bytes.count, "the file ends inside its header")
        }
        guard bytes.starts(with: Storyboard.BIF.magic) else { throw Storyboard.BIF.fault(0, "it is not a BIF file") }
        func value(_ place: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
        }
        guard value(8) == 0 else { throw Storyboard.BIF.fault(8, "unknown version \(value(8))") }
        let count = Int(value(12))
        guard count > 0 else { throw Storyboard.BIF.fault(12, "it has no pictures") }
        let first = Storyboard.BIF.fixedByteCount + 8 * (count + 1)
        guard first <= bytes.count else {
            throw Storyboard.BIF.fault(12, "the index of \(count) pictures is incomplete")
        }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for number in 0..<count {
            let place = Storyboard.BIF.fixedByteCount + 8 * number
            let (time, next) = (value(place), value(place + 8))
            guard time < next else {
                throw Storyboard.BIF.fault(place + 8, "time \(next) follows \(time), but times must ascend")
            }
            let (start, stop) = (Int(value(place + 4)), Int(value(place + 12)))
            guard start >= first else { throw Storyboard.BIF.fault(place + 4, "picture \(number) overlaps the index") }
            guard start < stop, stop <= end else {
                throw Storyboard.BIF.fault(
                    place + 12, "picture \(number) at \(start)..<\(stop) is outside the file's \(end) bytes")
            }
            entries.append(Entry(timestamp: time, byteRange: start..<stop))
        }
        guard value(first - 8) == Storyboard.BIF.endMark else {
            throw Storyboard.BIF.fault(first - 8, "the index has no end marker")
        }
        // 0 means the default: seconds.
        let multiplier = value(16) == 0 ? 1000 : value(16)
        // The product of two 32-bit numbers may need all 64 unsigned bits; sums of a few times must also fit.
        guard let last = entries.last, Int(multiplier) <= (Int.max >> 2) / max(1, Int(last.timestamp)) else {
            throw Storyboard.BIF.fault(16, "a unit of \(multiplier) ms makes the times implausibly large")
        }
        self.init(multiplier: multiplier, entries: entries)
    }

    private static func fault(_ place: Int, _ cause: String) -> ScrubError {
        ScrubError(.badData, cause, place: .byte(Int64(place)))
    }
}
