package import ScrubBase

extension RGBColor {
    /// Whether red, green, and blue are equal.
    var isGray: Bool { red == green && green == blue }
    subscript(channel: Int) -> UInt8 { channel == 0 ? red : channel == 1 ? green : blue }
}

extension RasterImage {
    /// Returns the picture without alpha, blended over a color; the picture itself if it has no alpha.
    ///
    /// Codes are blended, not light, as in browsers and image viewers. Gray becomes RGB if the background is colored.
    package func flattened(onto ground: RGBColor = .black) -> RasterImage {
        guard hasAlpha else { return self }
        let source = channels == 2 && !ground.isGray ? withChannels(4) : self
        let colors = source.channels - 1
        let count = width * height
        // The codes of the background in the picture's depth: 255 is 65535 / 257.
        let behind = (0..<colors).map { UInt32(ground[$0]) * UInt32(maximum / 255) }
        var flat = [UInt8](repeating: 0, count: count * colors * bitDepth / 8)
        if bitDepth == 8 {
            Self.blend(source.bytes, colors, behind, count: count, UInt8.self, into: &flat)
        } else {
            Self.blend(source.bytes, colors, behind, count: count, UInt16.self, into: &flat)
        }
        return RasterImage(
            width: width, height: height, channels: colors, bitDepth: bitDepth, bytes: flat, color: color)
    }

    @inline(__always)
    private static func blend<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        _ bytes: [UInt8], _ colors: Int, _ ground: [UInt32], count: Int, _: Sample.Type, into flat: inout [UInt8]
    ) {
        let size = MemoryLayout<Sample>.size
        let full = UInt32(Sample.max)
        let source = unsafe bytes.span.bytes
        precondition(source.byteCount >= count * (colors + 1) * size && flat.count >= count * colors * size)
        var words = flat.mutableSpan
        var target = unsafe words.mutableBytes
        func load(_ place: Int) -> UInt32 {
            unsafe UInt32(
                Sample(
                    littleEndian: source.unsafeLoadUnaligned(
                        fromUncheckedByteOffset: place &* size, as: Sample.self)))
        }
        for pixel in 0..<count {
            let alpha = load(pixel &* (colors &+ 1) &+ colors)
            for k in 0..<colors {
                // At most 65535^2 + 32767, which 32 bits hold.
                let sum = load(pixel &* (colors &+ 1) &+ k) &* alpha &+ ground[k] &* (full &- alpha)
                let mixed = Sample(truncatingIfNeeded: (sum &+ full / 2) / full)
                unsafe target.storeBytes(
                    of: mixed.littleEndian, toUncheckedByteOffset: (pixel &* colors &+ k) &* size, as: Sample.self)
            }
        }
    }

    /// Returns the picture with 8 bits per sample, each rounded to the nearest code, without dithering; the picture
    /// itself if it has 8.
    package func reducedTo8Bits() -> RasterImage {
        guard bitDepth == 16 else { return self }
        let count = bytes.count / 2
        let reduced = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, filled in
            let source = bytes.span
            for i in 0..<count {
                let value = unsafe UInt32(source[unchecked: 2 &* i]) | UInt32(source[unchecked: 2 &* i &+ 1]) &<< 8
                // 65535 = 255 * 257.
                unsafe target[i] = UInt8(truncatingIfNeeded: (value &+ 128) / 257)
            }
            filled = count
        }
        return RasterImage(
            width: width, height: height, channels: channels, bitDepth: 8, bytes: reduced, color: color)
    }

    /// Returns a part of the picture.
    ///
    /// - Precondition: the part is not empty and is inside the picture.
    package func cropped(x: Int, y: Int, width newWidth: Int, height newHeight: Int) -> RasterImage {
        precondition(
            x >= 0 && y >= 0 && newWidth > 0 && newHeight > 0 && x <= width - newWidth && y <= height - newHeight,
            "the part is outside the picture")
        guard newWidth != width || newHeight != height else { return self }
        var part: [UInt8] = []
        part.reserveCapacity(newWidth * newHeight * bytesPerPixel)
        for row in y..<y + newHeight {
            let start = row * bytesPerRow + x * bytesPerPixel
            part.append(contentsOf: bytes[start..<start + newWidth * bytesPerPixel])
        }
        return RasterImage(
            width: newWidth, height: newHeight, channels: channels, bitDepth: bitDepth, bytes: part, color: color)
    }

    /// Returns the picture with more channels: gray is repeated, a missing alpha is opaque.
    ///
    /// - Precondition: `wanted` includes all channels of the picture: color cannot become gray, and alpha cannot be
    ///   removed.
    package func withChannels(_ wanted: Int) -> RasterImage {
        guard wanted != channels else { return self }
        precondition((1...4).contains(wanted), "not a raster format")
        precondition(wanted >= 3 || channels < 3, "color would become gray")
        precondition(wanted % 2 == 0 || !hasAlpha, "alpha would be lost")
        let size = bitDepth / 8
        let count = width * height
        // The source sample that each sample of the result repeats; none for an added alpha.
        let places = (0..<wanted).map { place -> Int? in
            let isAlpha = wanted % 2 == 0 && place == wanted - 1
            if isAlpha { return hasAlpha ? channels - 1 : nil }
            return channels < 3 ? 0 : place
        }
        let wide = unsafe [UInt8](unsafeUninitializedCapacity: count * wanted * size) { target, filled in
            let source = bytes.span
            for (k, place) in places.enumerated() {
                for byte in 0..<size {
                    for pixel in 0..<count {
                        let value = place.map { source[(pixel * channels + $0) * size + byte] } ?? 255
                        unsafe target[(pixel * wanted + k) * size + byte] = value
                    }
                }
            }
            filled = count * wanted * size
        }
        return RasterImage(
            width: width, height: height, channels: wanted, bitDepth: bitDepth, bytes: wide, color: color)
    }
}
