public import ScrubBase

extension Storyboard.BIF {
    /// Reads the head of a BIF file.
    ///
    /// - Parameters:
    ///   - bytes: the file's first bytes, at least up to the end of the index.
    ///   - byteCount: the number of the file's bytes, if `bytes` are not all of them.
    /// - Throws: ``ScrubError/Code/badData`` with the byte's place if the bytes are not a BIF file of version 0, or a
    ///   picture would not lie inside the file.
    public init(parsing bytes: [UInt8], byteCount: Int? = nil) throws(ScrubError) {
        let end = max(byteCount ?? bytes.count, bytes.count)
        guard bytes.count >= Storyboard.BIF.fixedByteCount + 8 else {
            throw Storyboard.BIF.fault(bytes.count, "the file ends inside its head")
        }
        guard bytes.starts(with: Storyboard.BIF.magic) else { throw Storyboard.BIF.fault(0, "it is not a BIF file") }
        func value(_ place: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) }
        }
        guard value(8) == 0 else { throw Storyboard.BIF.fault(8, "version \(value(8)) is not known") }
        let count = Int(value(12))
        guard count > 0 else { throw Storyboard.BIF.fault(12, "it has no picture") }
        let first = Storyboard.BIF.fixedByteCount + 8 * (count + 1)
        guard first <= bytes.count else {
            throw Storyboard.BIF.fault(12, "an index of \(count) pictures is not all there")
        }
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        for number in 0..<count {
            let place = Storyboard.BIF.fixedByteCount + 8 * number
            let (time, next) = (value(place), value(place + 8))
            guard time < next else { throw Storyboard.BIF.fault(place + 8, "time \(next) comes after \(time)") }
            let (start, stop) = (Int(value(place + 4)), Int(value(place + 12)))
            guard start >= first else { throw Storyboard.BIF.fault(place + 4, "picture \(number) lies in the index") }
            guard start < stop, stop <= end else {
                throw Storyboard.BIF.fault(
                    place + 12, "picture \(number) at \(start)..<\(stop) does not lie in \(end) bytes")
            }
            entries.append(Entry(timestamp: time, byteRange: start..<stop))
        }
        guard value(first - 8) == Storyboard.BIF.endMark else {
            throw Storyboard.BIF.fault(first - 8, "the index has no end mark")
        }
        // 0 stands for the default, seconds.
        let multiplier = value(16) == 0 ? 1000 : value(16)
        // The product of two numbers of 32 bits may need 64 without a sign; sums of a few times are to fit too.
        guard let last = entries.last, Int(multiplier) <= (Int.max >> 2) / max(1, Int(last.timestamp)) else {
            throw Storyboard.BIF.fault(16, "\(multiplier) ms to a unit make times too large to be right")
        }
        self.init(multiplier: multiplier, entries: entries)
    }

    private static func fault(_ place: Int, _ cause: String) -> ScrubError {
        ScrubError(.badData, cause, place: .byte(Int64(place)))
    }
}
