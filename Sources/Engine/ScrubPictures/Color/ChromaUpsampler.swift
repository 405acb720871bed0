internal import CScrubShims
internal import ScrubLibAV

/// Interpolates one subsampled component at every luma position.
///
/// Rows must be read from top to bottom; the four source rows that an output row needs are kept, so each is read once.
struct ChromaUpsampler {
    /// The rows that the upsampler reads and computes.
    enum Rows {
        case all
        /// The rows of one field.
        case top, bottom
    }

    private let reader: SampleReader
    /// Its first chroma row, the distance between rows, and their number.
    private let rows: (first: Int, step: Int, count: Int)
    private let across: InterpolationTaps
    private let down: InterpolationTaps
    private let width: Int
    private let mask: Int
    /// Four rows of numbers, row r in slot r mod 4, and their row numbers.
    private var kept: [Float]
    private var keptRows = [-1, -1, -1, -1]
    /// One row at full height, preceded and followed by two repeated samples.
    private var row: [Float]
    /// The horizontal phases: the weights repeat every `1 << shift` positions.
    private let shift: Int

    /// - Precondition: for fields, chroma has at least one row of each field.
    init(
        reader: SampleReader, width: Int, height: Int, shift: (x: Int, y: Int), siting: ChromaSiting, rows: Rows
    ) {
        self.reader = reader
        let (step, first) = (rows == .all ? 1 : 2, rows == .bottom ? 1 : 0)
        self.rows = (first, step, (reader.rows - first + step - 1) / step)
        precondition(self.rows.count > 0, "a field without chroma")
        let place = rows == .all ? siting : siting.inField(isBottom: rows == .bottom, shift: shift.y)
        let height = (height - first + step - 1) / step
        self.width = width
        self.shift = shift.x
        mask = (1 << shift.x) - 1
        across = ChromaSiting.taps(count: min(width, 1 << shift.x), shift: shift.x, offset: siting.x)
        down = ChromaSiting.taps(count: height, shift: shift.y, offset: place.y)
        kept = Array(repeating: 0, count: 4 * reader.columns)
        row = Array(repeating: 0, count: reader.columns + 4)
    }

    /// Computes row `y` of the full-size component, counted among its own rows.
    mutating func read(_ y: Int, of frame: borrowing Frame, into line: inout MutableSpan<Float>) {
        blendRows(y, of: frame)
        stretch(into: &line)
    }

    private mutating func blendRows(_ y: Int, of frame: borrowing Frame) {
        let reader = reader
        let columns = reader.columns
        let (own, wanted) = (rows, (0..<4).map { min(max(down.first[y] + $0, 0), rows.count - 1) })
        if reader.isPlain {
            blendSamples(wanted.map { own.first + own.step * $0 }, down.weights[y], of: frame)
            repeatEdges()
            return
        }
        for source in wanted where keptRows[source & 3] != source {
            keptRows[source & 3] = source
            var all = kept.mutableSpan
            reader.read(own.first + own.step * source, of: frame, into: &all, at: (source & 3) * columns)
        }
        let weights = down.weights[y]
        // Each row is in its slot; checked here because the loop is in C.
        precondition(kept.count == 4 * columns && row.count == columns + 4, "chroma has a different size")
        unsafe kept.withUnsafeBufferPointer { kept in
            unsafe row.withUnsafeMutableBufferPointer { row in
                guard let kept = kept.baseAddress, let row = row.baseAddress else { return }
                unsafe withUnsafeBytes(of: weights) { weights in
                    unsafe scrub_blend_rows(
                        kept + (wanted[0] & 3) * columns, kept + (wanted[1] & 3) * columns,
                        kept + (wanted[2] & 3) * columns, kept + (wanted[3] & 3) * columns,
                        weights.assumingMemoryBound(to: Float.self).baseAddress, columns, row + 2)
                }
            }
        }
        repeatEdges()
    }

    /// Blends rows of plain bytes in place.
    private mutating func blendSamples(_ rows: [Int], _ weights: SIMD4<Float>, of frame: borrowing Frame) {
        let plane = reader.layout.plane
        let columns = reader.columns
        let (a, b) = (frame.row(rows[0], plane: plane), frame.row(rows[1], plane: plane))
        let (c, d) = (frame.row(rows[2], plane: plane), frame.row(rows[3], plane: plane))
        precondition(
            min(a.count, b.count, c.count, d.count) >= columns && row.count == columns + 4, "a row is too short")
        unsafe row.withUnsafeMutableBufferPointer { row in
            unsafe a.withUnsafeBufferPointer { a in
                unsafe b.withUnsafeBufferPointer { b in
                    unsafe c.withUnsafeBufferPointer { c in
                        unsafe d.withUnsafeBufferPointer { d in
                            unsafe withUnsafeBytes(of: weights) { weights in
                                unsafe scrub_blend_samples(
                                    a.baseAddress, b.baseAddress, c.baseAddress, d.baseAddress,
                                    weights.assumingMemoryBound(to: Float.self).baseAddress, columns,
                                    row.baseAddress.map { unsafe $0 + 2 })
                            }
                        }
                    }
                }
            }
        }
    }

    /// Repeats the samples at both ends of a line for the missing ones.
    private mutating func repeatEdges() {
        let (first, last) = (2, reader.columns + 1)
        row[0] = row[first]
        row[1] = row[first]
        row[last + 1] = row[last]
        row[last + 2] = row[last]
    }

    private func stretch(into line: inout MutableSpan<Float>) {
        precondition(line.count >= width, "a line is too short")
        if shift == 1, width > 1 {
            double(into: &line)
            return
        }
        let source = row.span
        let step = 1 << shift
        for phase in 0..<min(step, width) {
            let w = across.weights[phase]
            let (w0, w1, w2, w3) = (w[0], w[1], w[2], w[3])
            // Position `phase + k * step` needs the samples from first + k on; two repeated samples lead the row.
            let start = across.first[phase] + 2
            let count = (width - phase + step - 1) >> shift
            precondition(start >= 0 && start + count + 3 <= source.count, "chroma is too short")
            for k in 0..<count {
                let i = start &+ k
                unsafe line[unchecked: phase &+ k &<< shift] =
                    unsafe w0 * source[unchecked: i] + w1 * source[unchecked: i &+ 1] + w2 * source[unchecked: i &+ 2]
                    + w3 * source[unchecked: i &+ 3]
            }
        }
    }

    /// Performs ``stretch(into:)`` for a horizontal subsampling of 2, which nearly all videos have.
    private func double(into line: inout MutableSpan<Float>) {
        let (even, odd) = (across.weights[0], across.weights[1])
        let (evenStart, oddStart) = (across.first[0] + 2, across.first[1] + 2)
        let pairs = width / 2
        precondition(
            evenStart >= 0 && oddStart >= 0 && max(evenStart, oddStart) + (width + 1) / 2 + 2 < row.count,
            "chroma is too short")
        unsafe row.withUnsafeBufferPointer { row in
            unsafe line.withUnsafeMutableBufferPointer { line in
                guard let row = row.baseAddress, let line = line.baseAddress else { return }
                unsafe withUnsafeBytes(of: (even, odd)) { weights in
                    let weights = unsafe weights.assumingMemoryBound(to: Float.self).baseAddress
                    unsafe scrub_double_row(
                        row, evenStart, weights, oddStart, weights.map { unsafe $0 + 4 }, pairs, unsafe line)
                }
            }
        }
        // The last sample of an odd width has no neighbor.
        guard width % 2 == 1 else { return }
        let at = evenStart + pairs
        line[width - 1] =
            even[0] * row[at] + even[1] * row[at + 1] + even[2] * row[at + 2] + even[3] * row[at + 3]
    }
}
