internal import ScrubLibAV

/// One component of a picture at full size, whatever its subsampling.
struct ComponentSource {
    private let reader: SampleReader
    private var upsampler: ChromaUpsampler?

    /// Returns all components of a picture, or `nil` when a row is too short for its format.
    static func all(
        _ layouts: [SampleLayout], of frame: borrowing Frame, siting: ChromaSiting
    ) -> [ComponentSource]? {
        let (width, height) = (frame.width, frame.height)
        let isYCbCr = layouts.count >= 3 && !frame.pixelFormat.isRGB
        var sources: [ComponentSource] = []
        for (i, layout) in layouts.enumerated() {
            let isChroma = isYCbCr && (i == 1 || i == 2)
            let shift = isChroma ? frame.pixelFormat.chromaShift : (x: 0, y: 0)
            let columns = (width + (1 << shift.x) - 1) >> shift.x
            let rows = (height + (1 << shift.y) - 1) >> shift.y
            guard let reader = SampleReader(layout, columns: columns, rows: rows, frame: frame) else { return nil }
            var source = ComponentSource(reader: reader)
            if shift != (0, 0) {
                source.upsampler = ChromaUpsampler(
                    reader: reader, width: width, height: height, shift: shift, siting: siting)
            }
            sources.append(source)
        }
        return sources
    }

    private init(reader: SampleReader) { self.reader = reader }

    /// The plane whose rows are this component's codes, byte by byte; `nil` when they have to be read.
    var plainPlane: Int? { upsampler == nil && reader.isPlain ? reader.layout.plane : nil }

    /// Reads row `y`, as code values. Rows are asked for from top to bottom.
    mutating func read(_ y: Int, of frame: borrowing Frame, into line: inout [Float]) {
        var span = line.mutableSpan
        if upsampler == nil {
            reader.read(y, of: frame, into: &span)
        } else {
            upsampler?.read(y, of: frame, into: &span)
        }
    }
}
