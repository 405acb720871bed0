internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex
internal import ScrubPictures

/// Converts pictures of several media to one stream's size and format. The first picture determines both.
struct StreamPictures {
    /// The properties of a stream, as determined by its first picture.
    struct Shape {
        var width: Int
        var height: Int
        var format: PixelFormat
        var sampleAspectRatio: Rational?
        var isFullRange: Bool
    }

    /// Whether pictures are rotated upright.
    var appliesOrientation: Bool
    private(set) var shape: Shape?

    init(appliesOrientation: Bool) { self.appliesOrientation = appliesOrientation }

    /// Returns the picture as the ffmpeg command outputs it, in a format that this kind of stream supports.
    ///
    /// - Parameter nearest: the format to use instead of an unsupported one; `nil` if there is none.
    func upright(
        _ picture: FramePicture, nearest: (PixelFormat) throws(ScrubError) -> PixelFormat?
    ) throws(ScrubError) -> (frame: SharedFrame, aspect: Rational?) {
        var frame = try picture.streamFrame()
        let facts = picture.asset.index.facts
        let codec = facts.descriptions.first
        let geometry = PictureRenderer.geometry(
            of: frame, codec: codec, containerAspect: facts.sampleAspectRatio, displayMatrix: facts.displayMatrix)
        let own = frame.frame.pixelFormat
        guard let format = try nearest(own) else {
            throw ScrubError(
                .badData, "the stream does not support the pixel format \(own.name)",
                file: picture.asset.path)
        }
        var aspect = Self.isAspectKnown(frame, facts.sampleAspectRatio, codec) ? geometry.sampleAspectRatio : nil
        return try translating(picture) { () throws(AVError) in
            if format != own { frame = try Self.converted(frame, to: format) }
            let turn = geometry.orientation
            guard appliesOrientation, !turn.isUpright else { return (frame, aspect) }
            if turn.swapsAxes { aspect = aspect.flatMap { Rational(checked: $0.denominator, $0.numerator) } }
            if let turned = try Self.turned(frame, turn) { return (turned, aspect) }
            // Chroma that is halved in only one direction would be halved in the other one.
            let even = "yuv444p" + (format.bitDepth > 8 ? "\(format.bitDepth)le" : "")
            let open = try Self.converted(frame, to: PixelFormat(name: even) ?? format)
            return (try Self.turned(open, turn) ?? open, aspect)
        }
    }

    /// Keeps the first picture's shape, and fits every other one into it, with its aspect ratio and black bars.
    mutating func fitted(
        _ frame: SharedFrame, aspect: Rational?, of picture: FramePicture
    ) throws(ScrubError) -> SharedFrame {
        let isFull = frame.frame.pixelFormat.isFullRangeByName || frame.frame.colorRange == 2
        guard let shape else {
            shape = Shape(
                width: frame.frame.width, height: frame.frame.height, format: frame.frame.pixelFormat,
                sampleAspectRatio: aspect, isFullRange: isFull)
            return frame
        }
        let isSame =
            frame.frame.width == shape.width && frame.frame.height == shape.height
            && frame.frame.pixelFormat == shape.format && isFull == shape.isFullRange
            && (aspect ?? .one) == (shape.sampleAspectRatio ?? .one)
        guard !isSame else { return frame }
        let area = StreamPictures.area(
            width: frame.frame.width, height: frame.frame.height, aspect: aspect ?? .one, in: shape)
        return try translating(picture) { () throws(AVError) in
            SharedFrame(
                try frame.frame.fitted(
                    width: shape.width, height: shape.height, format: shape.format, area: area,
                    ranges: (isFull, shape.isFullRange)))
        }
    }

    /// Returns the largest centered area with a picture's aspect ratio in the stream's shape, on whole chroma samples.
    static func area(width: Int, height: Int, aspect: Rational, in shape: Shape) -> Frame.Area {
        let target = shape.sampleAspectRatio ?? .one
        // The ratio of width to height in the stream's own samples: w * aspect / (h * target).
        let (across, down) = (
            Int128(width) * Int128(aspect.numerator) * Int128(target.denominator),
            Int128(height) * Int128(aspect.denominator) * Int128(target.numerator)
        )
        var (newWidth, newHeight) = (shape.width, shape.height)
        if across * Int128(shape.height) >= down * Int128(shape.width) {
            newHeight = Int((Int128(shape.width) * down * 2 + across) / (across * 2))
        } else {
            newWidth = Int((Int128(shape.height) * across * 2 + down) / (down * 2))
        }
        let shift = shape.format.isRGB ? (0, 0) : shape.format.chromaShift
        // A side that fills the stream stays as it is, odd or even.
        func whole(_ side: Int, _ limit: Int, _ shift: Int) -> Int {
            side >= limit ? limit : min(limit, max(1 << shift, (side >> shift) << shift))
        }
        newWidth = whole(newWidth, shape.width, shift.0)
        newHeight = whole(newHeight, shape.height, shift.1)
        func centered(_ left: Int, _ shift: Int) -> Int { ((left / 2) >> shift) << shift }
        return Frame.Area(
            x: centered(shape.width - newWidth, shift.0), y: centered(shape.height - newHeight, shift.1),
            width: newWidth, height: newHeight)
    }

    /// Returns a black picture of the stream's shape.
    func black() throws(ScrubError) -> SharedFrame? {
        guard let shape else { return nil }
        do throws(AVError) {
            return SharedFrame(
                try Frame.black(
                    width: shape.width, height: shape.height, format: shape.format, isFullRange: shape.isFullRange))
        } catch {
            throw error.scrubError("a black picture cannot be allocated")
        }
    }

    private static func converted(_ frame: SharedFrame, to format: PixelFormat) throws(AVError) -> SharedFrame {
        SharedFrame(try frame.frame.converted(to: format))
    }

    private static func turned(_ frame: SharedFrame, _ turn: Orientation) throws(AVError) -> SharedFrame? {
        guard let turned = try frame.frame.turned(quarterTurns: turn.quarterTurns, isMirrored: turn.isMirrored) else {
            return nil
        }
        return SharedFrame(turned)
    }

    /// Returns whether the pixel aspect ratio is specified, even if it is square.
    private static func isAspectKnown(
        _ frame: SharedFrame, _ container: Rational?, _ codec: CodecDescription?
    ) -> Bool {
        container != nil || frame.frame.sampleAspectRatio != nil || (codec?.aspectNumerator ?? 0) > 0
    }

    private func translating<R>(
        _ picture: FramePicture, _ body: () throws(AVError) -> R
    ) throws(ScrubError) -> R {
        do {
            return try body()
        } catch {
            throw error.scrubError("a picture cannot be converted to the stream's format").inFile(picture.asset.path)
        }
    }
}
