internal import ScrubLibAV
package import ScrubPictures

extension PixelImage {
    /// The size and color of a picture in memory, without its pixels.
    public struct Properties: Sendable, Hashable {
        /// The width in pixels.
        public let width: Int
        /// The height in pixels.
        public let height: Int
        /// The color primaries, as a code point of ISO/IEC 23091-2 (1 is BT.709 and sRGB, 9 is BT.2020), or 2 if
        /// untagged.
        public let primaries: Int
        /// The transfer function of the pixel values, as a code point of ISO/IEC 23091-2 (1 is BT.709, 13 is sRGB, 16
        /// is PQ, 18 is HLG), or 2 if untagged.
        public let transfer: Int
        /// Human-readable warnings, for example about a color matrix that had to be replaced or an implausible aspect
        /// ratio.
        public let warnings: [Wording]
    }
}

/// A picture as pixels in memory.
public struct PixelImage: Sendable {
    /// The size and color of the pixels.
    public let properties: PixelImage.Properties
    /// The pixel layout in memory.
    public let layout: PixelLayout
    /// Whether colors are premultiplied by alpha.
    public let alphaMode: AlphaMode
    /// The number of bytes from the start of one row to the start of the next. Rows have no padding.
    public let bytesPerRow: Int
    /// The pixels' bytes, top row first.
    public let bytes: [UInt8]

    /// The width in pixels.
    public var width: Int { properties.width }
    /// The height in pixels.
    public var height: Int { properties.height }
}

extension FramePicture {
    /// Returns the picture's pixels, ready for display. The color matrix, sample range, rotation, clean aperture and
    /// aspect ratio are applied, and the result has the size specified in the options.
    ///
    /// Cost for a 1080p picture on one thread: with 8 bits, 9 ms at full size and 2.4 ms at a width of 640 pixels. With
    /// 10 bits and PQ, these times are 40 ms and 15 ms, or 12 ms at full size without tone mapping. Memory: twice the
    /// size of the pixels during the call.
    ///
    /// - Parameters:
    ///   - layout: the pixel layout. ``PixelLayout/rgba16`` and ``PixelLayout/rgbaFloat32`` are calculated with 16-bit
    ///     precision even for 8-bit video, but tone-mapped pictures have 8-bit precision.
    ///   - alpha: whether colors are premultiplied by alpha. It has no effect on layouts without alpha.
    /// - Throws: `usage` if the width or height is outside 1...16384, `badData` if the picture cannot be converted.
    public func pixels(
        _ layout: PixelLayout = .rgba8, alpha: AlphaMode = .straight, options: FramePicture.Options = .init()
    ) throws(ScrubError) -> PixelImage {
        let (image, warnings) = try rendered(options, isDeep: layout.isDeep)
        return PixelImage(image, warnings, layout: layout, alpha: alpha, ground: options.background ?? .black)
    }

    /// Writes the picture's pixels into the caller's memory, such as a texture's staging buffer, a Cairo surface or a
    /// NumPy array.
    ///
    /// The pixels are the same as those of ``pixels(_:alpha:options:)``. ``outputSize(options:)`` returns their
    /// dimensions. Bytes between the end of a row and the start of the next row are left unchanged.
    ///
    /// - Parameters:
    ///   - pixels: the destination for all rows.
    ///   - bytesPerRow: the distance in bytes from the start of one row to the start of the next.
    /// - Returns: the size and color of the pixels.
    /// - Throws: the errors of ``pixels(_:alpha:options:)``. If it throws, it has not written anything.
    /// - Precondition: a row fits in `bytesPerRow`, and all rows fit in `pixels`. The last row needs no padding.
    @discardableResult
    public func write(
        _ layout: PixelLayout, alpha: AlphaMode = .straight, options: FramePicture.Options = .init(),
        into pixels: inout MutableRawSpan, bytesPerRow: Int
    ) throws(ScrubError) -> PixelImage.Properties {
        let (image, warnings) = try rendered(options, isDeep: layout.isDeep)
        unsafe pixels.withUnsafeMutableBytes {
            unsafe image.write(
                layout, alpha: alpha, ground: options.background ?? .black, into: $0, bytesPerRow: bytesPerRow)
        }
        return PixelImage.Properties(image, warnings)
    }

    /// Writes the picture's pixels into an unsafe buffer, such as memory that C code allocated, in the same way as
    /// ``write(_:alpha:options:into:bytesPerRow:)-(_,_,_,MutableRawSpan,_)``.
    @discardableResult
    public func write(
        _ layout: PixelLayout, alpha: AlphaMode = .straight, options: FramePicture.Options = .init(),
        into pixels: UnsafeMutableRawBufferPointer, bytesPerRow: Int
    ) throws(ScrubError) -> PixelImage.Properties {
        var span = unsafe MutableRawSpan(_unsafeBytes: pixels)
        return try write(layout, alpha: alpha, options: options, into: &span, bytesPerRow: bytesPerRow)
    }

    /// Returns the bytes that ``streamMD5()`` hashes: the planes in order, in the stream's pixel format, with rows from
    /// top to bottom and without padding. These are the bytes that `ffmpeg -noautorotate -f rawvideo` writes for the
    /// frame. If the picture size or format changes during a stream, the picture is converted to the first picture's
    /// size and format.
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
            properties: PixelImage.Properties(image, warnings), layout: layout, alphaMode: alpha, bytesPerRow: stride,
            bytes: bytes)
    }
}

extension PixelImage.Properties {
    init(_ image: RasterImage, _ warnings: [String]) {
        self.init(
            width: image.width, height: image.height, primaries: Int(image.color.primaries),
            transfer: Int(image.color.transfer), warnings: warnings.map { Wording($0) })
    }
}
