internal import ScrubLibAV
internal import ScrubBase

/// Converts a frame's pixels to packed gray or RGB, at the stored size.
///
/// The arithmetic is the package's own, in binary32. libswscale 5.1 keeps its matrices and intermediate values at about
/// 15 bits, and its treatment of range depends on the format. It is used only for the few formats that have no other
/// support.
struct Rasterizer {
    let color: ColorSpec
    let codec: CodecDescription?
    /// Whether 8-bit pictures are converted to 16 bits too, for further calculations: one 8-bit step of BT.2020 RGB is
    /// two codes of BT.709.
    var isAlwaysDeep = false

    func raster(_ frame: borrowing Frame) throws(ScrubError) -> RasterImage {
        let format = frame.pixelFormat
        guard frame.width > 0, frame.height > 0, format.planeCount > 0 || format.isHardware else {
            throw ScrubError(.badData, "the frame has no picture")
        }
        guard !format.isHardware else {
            throw ScrubError(.unavailable, "the picture is in device memory (\(format.name))")
        }
        if format.isPaletted { return palettedRaster(frame) }
        let siting = ChromaSiting(frame: frame, codec: codec)
        guard let layouts = format.sampleLayouts,
            let sources = ComponentSource.all(layouts, of: frame, siting: siting)
        else { return try scaledRaster(frame) }
        return raster(frame, layouts, sources)
    }

    /// The meaning of the output values.
    private var outputColor: ColorSpec { color.asRGB }

    private func raster(
        _ frame: borrowing Frame, _ layouts: [SampleLayout], _ components: [ComponentSource]
    ) -> RasterImage {
        let bitDepth = isAlwaysDeep || frame.pixelFormat.bitDepth > 8 ? 16 : 8
        var bytes = [UInt8](repeating: 0, count: frame.width * layouts.count * bitDepth / 8 * frame.height)
        var target = bytes.mutableSpan
        write(frame, layouts, components, bitDepth: bitDepth, into: &target)
        return RasterImage(
            width: frame.width, height: frame.height, channels: layouts.count, bitDepth: bitDepth, bytes: bytes,
            color: outputColor)
    }

    /// Writes a picture of 8-bit YCbCr or RGB without alpha as tightly packed RGB, with the same bytes as
    /// ``raster(_:)``.
    ///
    /// - Returns: whether it is such a picture; otherwise, nothing is written.
    /// - Precondition: `target` is large enough.
    func writeRGB(_ frame: borrowing Frame, into target: inout MutableSpan<UInt8>) -> Bool {
        let format = frame.pixelFormat
        guard frame.width > 0, frame.height > 0, !format.isHardware, !format.isPaletted, format.bitDepth <= 8,
            let layouts = format.sampleLayouts, layouts.count == 3,
            let sources = ComponentSource.all(
                layouts, of: frame, siting: ChromaSiting(frame: frame, codec: codec))
        else { return false }
        write(frame, layouts, sources, bitDepth: 8, into: &target)
        return true
    }

    private func write(
        _ frame: borrowing Frame, _ layouts: [SampleLayout], _ components: [ComponentSource], bitDepth: Int,
        into bytes: inout MutableSpan<UInt8>
    ) {
        let (width, height) = (frame.width, frame.height)
        let channels = layouts.count
        let colors = channels <= 2 ? 1 : 3
        let matrix = ColorMatrix(
            color, depths: layouts.prefix(colors).map(\.depth), isRGB: frame.pixelFormat.isRGB,
            maximum: bitDepth == 8 ? 255 : 65535)
        let packer = PixelPacker(matrix, channels: channels, bitDepth: bitDepth)
        let siting = ChromaSiting(frame: frame, codec: codec)
        if let halved = HalvedChroma(layouts, frame, siting: siting, packer), halved.write(frame, into: &bytes) {
            return
        }
        let stride = width * channels * bitDepth / 8
        var sources = components
        let plainPlane = channels == 3 && bitDepth == 8 ? sources[0].plainPlane : nil
        let empty = [Float](repeating: 0, count: width)
        var (first, second, third, alpha) = (empty, empty, empty, empty)
        for y in 0..<height {
            let row = y * stride
            if let plane = plainPlane {
                sources[1].read(y, of: frame, into: &second)
                sources[2].read(y, of: frame, into: &third)
                let luma = frame.row(y, plane: plane).extracting(first: width)
                packer.storeRGB(luma, second, third, into: &bytes, at: row)
                continue
            }
            sources[0].read(y, of: frame, into: &first)
            if colors == 3 {
                sources[1].read(y, of: frame, into: &second)
                sources[2].read(y, of: frame, into: &third)
                packer.convert(&first, &second, &third)
                packer.store(second.span, channel: 1, into: &bytes, at: row)
                packer.store(third.span, channel: 2, into: &bytes, at: row)
            } else {
                packer.convert(&first)
            }
            packer.store(first.span, channel: 0, into: &bytes, at: row)
            if channels != colors {
                sources[colors].read(y, of: frame, into: &alpha)
                packer.convertAlpha(&alpha, depth: layouts[colors].depth)
                packer.store(alpha.span, channel: colors, into: &bytes, at: row)
            }
        }
    }

    /// Returns the picture with its indexes looked up in the palette: 256 words of alpha, red, green, and blue from the
    /// highest byte down (`AV_PIX_FMT_PAL8`). The result has alpha if a used color is not opaque.
    private func palettedRaster(_ frame: borrowing Frame) -> RasterImage {
        let (width, height) = (frame.width, frame.height)
        var colors: [SIMD4<UInt8>] = []
        let palette = frame.row(0, plane: 1)
        for i in 0..<256 {
            let word = unsafe palette.bytes.unsafeLoadUnaligned(fromByteOffset: i * 4, as: UInt32.self)
            colors.append(SIMD4(truncatingIfNeeded: SIMD4(word >> 16, word >> 8, word, word >> 24)))
        }
        var isUsed = [Bool](repeating: false, count: 256)
        for y in 0..<height {
            let row = frame.row(y, plane: 0)
            for x in 0..<width { isUsed[Int(row[x])] = true }
        }
        let hasAlpha = (0..<256).contains { isUsed[$0] && colors[$0].w < 255 }
        let channels = hasAlpha ? 4 : 3
        var bytes = [UInt8](repeating: 0, count: width * height * channels)
        var at = 0
        for y in 0..<height {
            let row = frame.row(y, plane: 0)
            for x in 0..<width {
                let entry = colors[Int(row[x])]
                for k in 0..<channels { bytes[at + k] = entry[k] }
                at += channels
            }
        }
        return RasterImage(
            width: width, height: height, channels: channels, bitDepth: 8, bytes: bytes, color: outputColor)
    }

    /// Returns the picture converted by libswscale: bit streams, sensor mosaics, CIE XYZ, `uyyvyy411`.
    private func scaledRaster(_ frame: borrowing Frame) throws(ScrubError) -> RasterImage {
        let format = frame.pixelFormat
        guard Scaler.canRead(format) else {
            throw ScrubError(.unavailable, "the pixel format \(format.name) cannot be converted to RGB")
        }
        let isDeep = format.bitDepth > 8
        let (target, channels): (PixelFormat, Int) =
            switch (format.isGray, format.hasAlpha) {
            case (true, _): (isDeep ? .gray16 : .gray8, 1)
            case (false, true): (isDeep ? .rgba64 : .rgba, 4)
            case (false, false): (isDeep ? .rgb48 : .rgb24, 3)
            }
        let (width, height) = (frame.width, frame.height)
        let matrix: Scaler.Matrix =
            switch color.matrix {
            case 4: .fcc
            case 5, 6: .bt601
            case 7: .smpte240M
            case 9: .bt2020
            default: .bt709
            }
        do throws(AVError) {
            let packed = try frame.scaled(
                to: target, matrix: matrix, isFullRange: color.isFullRange || format.bitDepth == 1)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(packed.pixelFormat.byteCount(width: width, height: height))
            packed.appendPacked(to: &bytes)
            return RasterImage(
                width: width, height: height, channels: channels, bitDepth: isDeep ? 16 : 8, bytes: bytes,
                color: outputColor)
        } catch {
            throw error.scrubError("converting \(format.name)")
        }
    }
}
