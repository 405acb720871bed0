internal import CScrubShims
internal import ScrubLibAV

/// Reads one component of a picture, row by row, as numbers.
struct SampleReader {
    let layout: SampleLayout
    /// The number of samples in a row, and the number of rows.
    let columns: Int
    let rows: Int

    /// - Returns: `nil` if the picture's rows are too short for the layout, which would be an error in the format's
    ///   description.
    init?(_ layout: SampleLayout, columns: Int, rows: Int, frame: borrowing Frame) {
        guard layout.plane < frame.planeCount, columns > 0, layout.offset >= 0 else { return nil }
        let shape = frame.planeShape(layout.plane)
        let end = (columns - 1) * layout.step + layout.offset + layout.wordBytes
        guard end <= shape.bytesPerRow, rows <= shape.rows else { return nil }
        self.layout = layout
        self.columns = columns
        self.rows = rows
    }

    /// Whether a row's bytes are its codes, one after the other.
    var isPlain: Bool { layout.isPlain }

    /// Reads a row into ``columns`` elements of `line`, starting at `start`.
    ///
    /// The checks are made once here; the loops below have none, so that they become vector code.
    func read(_ row: Int, of frame: borrowing Frame, into line: inout MutableSpan<Float>, at start: Int = 0) {
        let bytes = frame.row(row, plane: layout.plane)
        let end = (columns - 1) * layout.step + layout.offset + layout.wordBytes
        precondition(end <= bytes.count && start >= 0 && start + columns <= line.count, "a row is too short")
        let mask: UInt32 = (1 << UInt32(layout.depth)) - 1
        let shift = UInt32(layout.shift)
        if layout.isFloat { return readNumbers(bytes, into: &line, at: start) }
        let (step, offset) = (layout.step, layout.offset)
        switch (layout.wordBytes, layout.isBigEndian) {
        case (1, _) where step == 1 && layout.depth == 8:
            let columns = columns
            unsafe line.withUnsafeMutableBufferPointer { line in
                unsafe bytes.withUnsafeBufferPointer { bytes in
                    guard let from = bytes.baseAddress, let to = line.baseAddress else { return }
                    unsafe scrub_widen_row(from + offset, columns, to + start)
                }
            }
        case (1, _):
            for i in 0..<columns {
                let word = unsafe UInt32(bytes[unchecked: i &* step &+ offset])
                unsafe line[unchecked: start &+ i] = Float((word &>> shift) & mask)
            }
        case (2, false) where step == 2:
            for i in 0..<columns {
                let at = 2 &* i &+ offset
                let word = unsafe UInt32(bytes[unchecked: at]) | UInt32(bytes[unchecked: at &+ 1]) &<< 8
                unsafe line[unchecked: start &+ i] = Float((word &>> shift) & mask)
            }
        case (2, let isBigEndian):
            let (low, high) = isBigEndian ? (1, 0) : (0, 1)
            for i in 0..<columns {
                let at = i &* step &+ offset
                let word = unsafe UInt32(bytes[unchecked: at &+ low]) | UInt32(bytes[unchecked: at &+ high]) &<< 8
                unsafe line[unchecked: start &+ i] = Float((word &>> shift) & mask)
            }
        case (_, let isBigEndian):
            for i in 0..<columns {
                var word: UInt32 = 0
                for k in 0..<4 {
                    let place = i &* step &+ offset &+ (isBigEndian ? k : 3 &- k)
                    word = unsafe word &<< 8 | UInt32(bytes[unchecked: place])
                }
                unsafe line[unchecked: start &+ i] = Float((word &>> shift) & mask)
            }
        }
    }

    /// Reads numbers from 0 to 1 as codes; values outside are clamped, and NaN becomes 0.
    private func readNumbers(_ bytes: Span<UInt8>, into line: inout MutableSpan<Float>, at start: Int) {
        let count = layout.wordBytes
        let white = Float((1 << layout.depth) - 1)
        for i in 0..<columns {
            var word: UInt32 = 0
            for k in 0..<count {
                let place = i &* layout.step &+ layout.offset &+ (layout.isBigEndian ? k : count &- 1 &- k)
                word = unsafe word &<< 8 | UInt32(bytes[unchecked: place])
            }
            let value =
                count == 2 ? Float(Float16(bitPattern: UInt16(truncatingIfNeeded: word))) : Float(bitPattern: word)
            unsafe line[unchecked: start &+ i] = value > 0 ? value < 1 ? value * white : white : 0
        }
    }
}

extension SampleLayout {
    /// Whether a row's bytes are its codes, one after the other.
    var isPlain: Bool { wordBytes == 1 && step == 1 && depth == 8 && shift == 0 && offset == 0 }
}
