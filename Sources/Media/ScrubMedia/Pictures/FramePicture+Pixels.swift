internal import ScrubLibAV
internal import ScrubPictures

extension PixelImage {
    /// The facts of pixels in memory, apart from their bytes.
    public struct Facts: Sendable, Hashable {
        /// Columns.
        public let width: Int
        /// Rows.
        public let height: Int
        /// The colors that red, green and blue are. It is a code point of ISO/IEC 23091-2 (1 is BT.709 and sRGB, 9 is
        /// BT.2020), and 2 without a tag.
        public let primaries: Int
        /// The transfer function that the numbers are encoded with. It is a code point of ISO/IEC 23091-2 (1 is BT.709,
        /// 13 sRGB, 16 PQ, 18 HLG), and 2 without a tag.
        public let transfer: Int
        /// Sentences for people: a colour matrix that had to be replaced, an absurd aspect ratio.
        public let warnings: [String]
    }
}

/// A picture as pixels in memory.
public struct PixelImage: Sendable {
    /// Size and meaning.
    public let facts: PixelImage.Facts
    /// The layout of a pixel in memory.
    public let layout: PixelLayout
    /// Whether colors are multiplied by alpha.
    public let alpha: AlphaMode
    /// Bytes from one row to the next: the row's pixels, without padding.
    public let bytesPerRow: Int
    /// The rows, top row first.
    public let bytes: [UInt8]

    /// Columns.
    public var width: Int { facts.width }
    /// Rows.
    public var height: Int { facts.height }
}

extension FramePicture {
    /// Returns the picture's pixels as a view or another program can show them. They are right in matrix, range,
    /// rotation, clean aperture and aspect, at the size that the options say.
    ///
    /// Cost: for 1080p of 8 bits, on one thread, 9 ms at its own size and 2.4 ms at 640 pixels of width. For PQ of 10
    /// bits it is 40 ms and 15 ms, 12 ms at its own size without tone-mapping. Memory: twice the pixels while it works.
    ///
    /// - Parameters:
    ///   - layout: the layout of a pixel. ``PixelLayout/rgba16`` and ``PixelLayout/rgbaFloat32`` are calculated with 16
    ///     bits also from 8-bit video; tone-mapped pictures have 8 bits.
    ///   - alpha: whether colors are multiplied by alpha. Without effect on layouts without it.
    /// - Throws: `usage` for a side that is not in 1...16384, `badData` when the picture cannot be shown.
    public func pixels(
        _ layout: PixelLayout = .rgba8, alpha: AlphaMode = .straight, options: FramePicture.Options = .init()
    ) throws(ScrubError) -> PixelImage {
        let (image, warnings) = try rendered(options, isDeep: layout.isDeep)
        let stride = image.width * layout.bytesPerPixel
        let count = stride * image.height
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            unsafe image.write(
                layout, alpha: alpha, ground: options.background ?? .black,
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]),
                bytesPerRow: stride)
            filled = count
        }
        return PixelImage(
            facts: PixelImage.Facts(image, warnings), layout: layout, alpha: alpha, bytesPerRow: stride, bytes: bytes)
    }

    /// Writes the picture's pixels into memory of the caller's: a texture's staging buffer, a Cairo surface, a NumPy
    /// array.
    ///
    /// As ``pixels(_:alpha:options:)``. ``size(_:)`` says how many there will be; bytes between a row's end and the
    /// next row stay as they are.
    ///
    /// - Parameters:
    ///   - pixels: room for all rows.
    ///   - bytesPerRow: from one row's first byte to the next one's.
    /// - Returns: size and meaning.
    /// - Throws: as ``pixels(_:alpha:options:)``; nothing is written then.
    /// - Precondition: a row fits into `bytesPerRow`, and all rows into `pixels`; the last one needs no padding.
    @discardableResult
    public func write(
        _ layout: PixelLayout, alpha: AlphaMode = .straight, options: FramePicture.Options = .init(),
        into pixels: inout MutableRawSpan, bytesPerRow: Int
    ) throws(ScrubError) -> PixelImage.Facts {
        let (image, warnings) = try rendered(options, isDeep: layout.isDeep)
        unsafe pixels.withUnsafeMutableBytes {
            unsafe image.write(
                layout, alpha: alpha, ground: options.background ?? .black, into: $0, bytesPerRow: bytesPerRow)
        }
        return PixelImage.Facts(image, warnings)
    }

    /// As ``write(_:alpha:options:into:bytesPerRow:)-(_,_,_,MutableRawSpan,_)``, into memory from C.
    @discardableResult
    public func write(
        _ layout: PixelLayout, alpha: AlphaMode = .straight, options: FramePicture.Options = .init(),
        into pixels: UnsafeMutableRawBufferPointer, bytesPerRow: Int
    ) throws(ScrubError) -> PixelImage.Facts {
        var span = unsafe MutableRawSpan(_unsafeBytes: pixels)
        return try write(layout, alpha: alpha, options: options, into: &span, bytesPerRow: bytesPerRow)
    }

    /// Returns the bytes that ``streamMD5()`` is the MD5 of: the planes in order in the stream's own pixel format, rows
    /// top to bottom without padding. `ffmpeg -noautorotate -f rawvideo` writes the same for the frame. If a stream
    /// changes its picture size or format on the way, they are of the first picture's.
    ///
    /// Memory: one picture.
    public func streamBytes() throws(ScrubError) -> [UInt8] { try streamSamples().bytes }

    /// As ``streamBytes()``, with the size that they have.
    package func streamSamples() throws(ScrubError) -> (bytes: [UInt8], width: Int, height: Int) {
        let whole = try streamFrame()
        var bytes: [UInt8] = []
        for plane in 0..<whole.frame.planeCount {
            let shape = whole.frame.planeShape(plane)
            for row in 0..<shape.rows {
                whole.withRow(row, plane: plane) { span in
                    unsafe span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
                }
            }
        }
        return (bytes, whole.frame.width, whole.frame.height)
    }
}

extension PixelImage.Facts {
    init(_ image: RasterImage, _ warnings: [String]) {
        self.init(
            width: image.width, height: image.height, primaries: Int(image.color.primaries),
            transfer: Int(image.color.transfer), warnings: warnings)
    }
}
