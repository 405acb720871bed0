extension FramePicture {
    /// The pixel formats for programs in other languages, with libav's names. All formats except ``gray`` have red,
    /// green and blue. Alpha is straight. Formats without alpha composite the picture over black.
    package enum Packing: String, Sendable, CaseIterable {
        case rgb24, rgba, bgra, gray
        /// 16 bits per component, in native byte order.
        case rgb48, rgba64

        package var bytesPerPixel: Int {
            switch self {
            case .gray: 1
            case .rgb24: 3
            case .rgba, .bgra: 4
            case .rgb48: 6
            case .rgba64: 8
            }
        }

        /// The equivalent layout; `nil` for a format that is converted from another.
        fileprivate var layout: PixelLayout? {
            switch self {
            case .rgb24: .rgb8
            case .rgba: .rgba8
            case .bgra: .bgra8
            case .gray: .gray8
            case .rgba64: .rgba16
            case .rgb48: nil
            }
        }
    }

    /// Returns the number of columns and rows that ``write(_:_:into:bytesPerRow:)`` writes.
    ///
    /// - Throws: `usage` for a side outside 1...16384.
    package func packedSize(_ options: FramePicture.Options) throws(ScrubError) -> (width: Int, height: Int) {
        options.isPlain ? shownSize(options) : try outputSize(options: options)
    }

    /// Writes the picture's pixels. ``Packing/rgb24`` produces the same pixels as ``writeRGB(into:_:)`` at the
    /// picture's own size.
    ///
    /// - Parameters:
    ///   - pixels: memory for the rows of ``packedSize(_:)``; the last row needs no padding.
    ///   - bytesPerRow: the distance between the first bytes of two rows. Bytes between rows stay unchanged.
    package func write(
        _ packing: Packing, _ options: FramePicture.Options, into pixels: UnsafeMutableRawBufferPointer,
        bytesPerRow: Int
    ) throws(ScrubError) {
        guard let layout = packing.layout else {
            return try unsafe writeDeepRGB(options, into: pixels, bytesPerRow)
        }
        let shown = packing == .rgb24 && options.isPlain ? shownSize(options) : nil
        guard let shown, shown.width * 3 == bytesPerRow, let memory = pixels.baseAddress else {
            try unsafe write(layout, options: options, into: pixels, bytesPerRow: bytesPerRow)
            return
        }
        var span = unsafe MutableSpan(
            _unsafeStart: memory.assumingMemoryBound(to: UInt8.self), count: shown.width * 3 * shown.height)
        try writeRGB(into: &span, options)
    }

    /// Writes 16-bit red, green and blue from rows with alpha, composited over black.
    private func writeDeepRGB(
        _ options: FramePicture.Options, into pixels: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int
    ) throws(ScrubError) {
        let image = try self.pixels(.rgba16, alpha: .premultiplied, options: options)
        let row = image.width * Packing.rgb48.bytesPerPixel
        precondition(
            bytesPerRow >= row && pixels.count >= bytesPerRow * max(0, image.height - 1) + row,
            "the buffer of \(pixels.count) bytes or bytesPerRow is too small "
                + "for \(image.width) x \(image.height) pixels")
        unsafe image.bytes.withUnsafeBytes { source in
            for y in 0..<image.height {
                for x in 0..<image.width {
                    let from = y * image.bytesPerRow + x * 8, to = y * bytesPerRow + x * 6
                    unsafe pixels[to..<to + 6].copyBytes(from: source[from..<from + 6])
                }
            }
        }
    }
}

extension FramePicture.Options {
    /// Whether the picture keeps its own size and sample values.
    fileprivate var isPlain: Bool { size == .natural && dynamicRange == .matchSource && background == nil }
}
