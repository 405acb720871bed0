internal import ScrubLibAV
package import ScrubPictures

extension PixelImage {
    /// The properties of pixels in memory, without their bytes.
    public struct Facts: Sendable, Hashable {
        /// The width in pixels.
        public let width: Int
        /// The height in pixels.
        public let height: Int
        /// The color primaries, as a code point of ISO/IEC 23091-2 (1 is BT.709 and sRGB, 9 is BT.2020), or 2 if
        /// untagged.
        public let primaries: Int
        /// The transfer function of the values, as a code point of ISO/IEC 23091-2 (1 is BT.709, 13 sRGB, 16 PQ, 18
        /// HLG), or 2 if untagged.
        public let transfer: Int
        /// Human-readable warnings, for example about a color matrix that had to be replaced or an absurd aspect ratio.
        public let warnings: [Wording]
    }
}

/// A picture as pixels in memory.
public struct PixelImage: Sendable {
    /// The size and color of the pixels.
    public let facts: PixelImage.Facts
    /// The pixel layout in memory.
    public let layout: PixelLayout
    /// Whether colors are premultiplied by alpha.
    public let alpha: AlphaMode
    /// Bytes from one row to the next. Rows have no padding.
    public let bytesPerRow: Int
    /// The pixels' bytes, top row first.
    public let bytes: [UInt8]

    /// The width in pixels.
    public var width: Int { facts.width }
    /// The height in pixels.
    public var height: Int { facts.height }
}

extension FramePicture {
    /// Returns the picture's pixels, ready for display. Matrix, range, rotation, clean aperture and aspect ratio are
    /// applied, and the result has the size specified in the options.
    ///
    /// Cost: for 8-bit 1080p, on one thread, 9 ms at full size and 2.4 ms at a width of 640 pixels. For 10-bit PQ, it
    /// takes 40 ms and 15 ms. Without tone mapping, it takes 12 ms at full size. Memory: twice the pixels during the
    /// call.
    ///
    /// - Parameters:
    ///   - layout: the pixel layout. ``PixelLayout/rgba16`` and ``PixelLayout/rgbaFloat32`` are calculated with 16 bits
    ///     even for 8-bit video; tone-mapped pictures have 8 bits.
    ///   - alpha: whether colors are premultiplied by alpha. It has no effect on layouts without alpha.
    /// - Throws: `usage` for a side outside 1...16384, `badData` if the picture cannot be converted.
    public func pixels(
        _ layout: PixelLayout = .rgba8, alpha: AlphaMode = .straight, options: FramePicture.Options = .init()
    ) throws(ScrubError) -> PixelImage {
        let (image, warnings) = try rendered(options, isDeep: layout.isDeep)
        return PixelImage(image, warnings, layout: layout, alpha: alpha, ground: options.background ?? .black)
    }

    /// Writes the picture's pixels into the caller's memory, such as a texture's staging buffer, a Cairo surface or a
    /// NumPy array.
    ///
    /// The pixels are those of ``pixels(_:alpha:options:)``. ``size(_:)`` returns the required dimensions. Bytes
    /// between the end of a row and the next row stay unchanged.
    ///
    /// - Parameters:
    ///   - pixels: the destination for all rows.
    ///   - bytesPerRow: the distance in bytes between the starts of two rows.
    /// - Returns: the size and color of the pixels.
    /// - Throws: the errors of ``pixels(_:alpha:options:)``. If it throws, it has written nothing.
    /// - Precondition: a row fits in `bytesPerRow`, and all rows in `pixels`. The last row needs no padding.
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

    /// Writes the picture's pixels into C memory, as
    /// ``write(_:alpha:options:into:bytesPerRow:)-(_,_,_,MutableRawSpan,_)`` does.
    @discardableResult
    public func write(
        _ layout: PixelLayout, alpha: AlphaMode = .straight, options: FramePicture.Options = .init(),
        into pixels: UnsafeMutableRawBufferPointer, bytesPerRow: Int
    ) throws(ScrubError) -> PixelImage.Facts {
        var span = unsafe MutableRawSpan(_unsafeBytes: pixels)
        return try write(layout, alpha: alpha, options: options, into: &span, bytesPerRow: bytesPerRow)
    }

    /// Returns the bytes that ``streamMD5()`` hashes: the planes in order in the stream's own pixel format, with rows
    /// from top to bottom without padding. They are the bytes that `ffmpeg -noautorotate -f rawvideo` writes for the
    /// frame. If the picture size or format changes during a stream, the bytes keep the first picture's size and
    /// format.
    ///
    /// Memory: one picture.
    public func streamBytes() throws(ScrubError) -> [UInt8] { try streamSamples().bytes }

    /// Returns the same as ``streamBytes()``, with the size.
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

extension PixelImage {
    /// Creates the pixels of an image, in rows without padding.
    ///
    /// - Parameter ground: the color behind transparent pixels if the layout has no alpha.
    package init(
        _ image: RasterImage, _ warnings: [String], layout: PixelLayout, alpha: AlphaMode = .straight,
        ground: RGBColor = .black
    ) {
        let stride = image.width * layout.bytesPerPixel
        let count = stride * image.height
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            unsafe image.write(
                layout, alpha: alpha, ground: ground,
                into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]),
                bytesPerRow: stride)
            filled = count
        }
        self.init(
            facts: PixelImage.Facts(image, warnings), layout: layout, alpha: alpha, bytesPerRow: stride, bytes: bytes)
    }
}

extension PixelImage.Facts {
    init(_ image: RasterImage, _ warnings: [String]) {
        self.init(
            width: image.width, height: image.height, primaries: Int(image.color.primaries),
            transfer: Int(image.color.transfer), warnings: warnings.map { Wording($0) })
    }
}
