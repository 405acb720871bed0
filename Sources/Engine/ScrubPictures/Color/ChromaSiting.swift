internal import ScrubLibAV

/// The position of subsampled chroma relative to the luma samples.
struct ChromaSiting: Hashable {
    /// The distance of the first chroma sample from the first luma sample, in luma samples.
    let x: Double
    let y: Double

    /// Uses the picture's own tag, then the stream's, then the default. The default is left (MPEG-2, H.264, HEVC, and
    /// VP9's default), or centered for formats with JPEG's range by name, as in JFIF.
    init(frame: borrowing Frame, codec: CodecDescription?) {
        let own = frame.chromaLocation
        var tag = own != 0 ? own : codec?.chromaLocation ?? 0
        if tag == 0 { tag = frame.pixelFormat.isFullRangeByName && codec?.codecName == "mjpeg" ? 2 : 1 }
        self.init(tag: tag, shift: frame.pixelFormat.chromaShift)
    }

    /// - Parameter tag: `AVChromaLocation` (ISO/IEC 23091-2's Chroma420SampleLocType plus one).
    init(tag: UInt32, shift: (x: Int, y: Int)) {
        let (lastX, lastY) = (Double((1 << shift.x) - 1), Double((1 << shift.y) - 1))
        x = tag == 2 || tag == 4 || tag == 6 ? lastX / 2 : 0
        y =
            switch tag {
            case 3, 4: 0
            case 5, 6: lastY
            default: lastY / 2
            }
    }

    private init(x: Double, y: Double) { (self.x, self.y) = (x, y) }

    /// Returns the position in one of the two fields of an interlaced picture, in rows of that field. Chroma rows
    /// belong to the fields alternately, and are evenly spaced over the picture.
    func inField(isBottom: Bool, shift: Int) -> ChromaSiting {
        ChromaSiting(x: x, y: isBottom ? (y + Double((1 << shift) - 1)) / 2 : y / 2)
    }

    /// Returns the taps that interpolate one line of chroma at the positions of luma.
    static func taps(count: Int, shift: Int, offset: Double) -> InterpolationTaps {
        let scale = 1 / Double(1 << shift)
        return InterpolationTaps(count: count, scale: scale, origin: -offset * scale)
    }
}
