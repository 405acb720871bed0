internal import LibAV

/// Brings one subsampled component to every luma position.
///
/// Rows are asked for from top to bottom; the four source rows that an output row needs are kept, so each is read
/// once.
struct ChromaUpsampler {
    private let reader: SampleReader
    private let across: InterpolationTaps
    private let down: InterpolationTaps
    private let width: Int
    private let mask: Int
    /// Four rows of numbers, row r in slot r mod 4, and which rows they are.
    private var kept: [Float]
    private var keptRows = [-1, -1, -1, -1]
    /// One row at full height, with two repeated samples before it and two behind.
    private var row: [Float]
    /// The horizontal phases: the weights repeat every `1 << shift` positions.
    private let shift: Int

    init(reader: SampleReader, width: Int, height: Int, shift: (x: Int, y: Int), siting: ChromaSiting) {
        self.reader = reader
        self.width = width
        self.shift = shift.x
        mask = (1 << shift.x) - 1
        across = ChromaSiting.taps(count: min(width, 1 << shift.x), shift: shift.x, offset: siting.x)
        down = ChromaSiting.taps(count: height, shift: shift.y, offset: siting.y)
        kept = Array(repeating: 0, count: 4 * reader.columns)
        row = Array(repeating: 0, count: reader.columns + 4)
    }

    /// Computes row `y` of the full-size component.
    mutating func read(_ y: Int, of frame: borrowing Frame, into line: inout MutableSpan<Float>) {
        blendRows(y, of: frame)
        stretch(into: &line)
    }

    private mutating func blendRows(_ y: Int, of frame: borrowing Frame) {
        let reader = reader
        let columns = reader.columns
        let wanted = (0..<4).map { min(max(down.first[y] + $0, 0), reader.rows - 1) }
        for source in wanted where keptRows[source & 3] != source {
            keptRows[source & 3] = source
            var all = kept.mutableSpan
            reader.read(source, of: frame, into: &all, at: (source & 3) * columns)
        }
        let w = down.weights[y]
        // A second reference, not a copy: spans of two of our own properties would overlap.
        let kept = kept
        let all = kept.span
        let a = all.extracting((wanted[0] & 3) * columns..<((wanted[0] & 3) + 1) * columns)
        let b = all.extracting((wanted[1] & 3) * columns..<((wanted[1] & 3) + 1) * columns)
        let c = all.extracting((wanted[2] & 3) * columns..<((wanted[2] & 3) + 1) * columns)
        let d = all.extracting((wanted[3] & 3) * columns..<((wanted[3] & 3) + 1) * columns)
        let (first, last) = (2, columns + 1)
        var out = row.mutableSpan
        let (w0, w1, w2, w3) = (w[0], w[1], w[2], w[3])
        for i in 0..<columns {
            out[unchecked: i &+ 2] =
                w0 * a[unchecked: i] + w1 * b[unchecked: i] + w2 * c[unchecked: i] + w3 * d[unchecked: i]
        }
        out[0] = out[first]
        out[1] = out[first]
        out[last + 1] = out[last]
        out[last + 2] = out[last]
    }

    private func stretch(into line: inout MutableSpan<Float>) {
        precondition(line.count >= width, "a line is too short")
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
                line[unchecked: phase &+ k &<< shift] =
                    w0 * source[unchecked: i] + w1 * source[unchecked: i &+ 1] + w2 * source[unchecked: i &+ 2]
                    + w3 * source[unchecked: i &+ 3]
            }
        }
    }
}
