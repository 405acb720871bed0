internal import ScrubLibAV

/// One component of a picture at full size, whatever its subsampling.
struct ComponentSource {
    private let reader: SampleReader
    /// The upsamplers: one for all rows, or one for the rows of each field.
    private var upsamplers: [ChromaUpsampler] = []

    /// Returns all components of a picture; `nil` if a row is too short for its format.
    ///
    /// The chroma of each field is used only for rows of that field.
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
                let parts: [ChromaUpsampler.Rows] = frame.hasChromaOfFields ? [.top, .bottom] : [.all]
                source.upsamplers = parts.map {
                    ChromaUpsampler(
                        reader: reader, width: width, height: height, shift: shift, siting: siting, rows: $0)
                }
            }
            sources.append(source)
        }
        return sources
    }

    private init(reader: SampleReader) { self.reader = reader }

    /// The plane whose rows are this component's codes, byte by byte; `nil` if they must be unpacked.
    var plainPlane: Int? { upsamplers.isEmpty && reader.isPlain ? reader.layout.plane : nil }

    /// Reads row `y` as code values. Rows must be read from top to bottom.
    mutating func read(_ y: Int, of frame: borrowing Frame, into line: inout [Float]) {
        var span = line.mutableSpan
        switch upsamplers.count {
        case 0: reader.read(y, of: frame, into: &span)
        case 1: upsamplers[0].read(y, of: frame, into: &span)
        default: upsamplers[y & 1].read(y >> 1, of: frame, into: &span)
        }
    }
}

extension Frame {
    /// Whether chroma rows belong to separate fields.
    var hasChromaOfFields: Bool {
        let shift = pixelFormat.chromaShift.y
        return isInterlaced && shift > 0 && !pixelFormat.isRGB && height > 1 << shift
    }
}
