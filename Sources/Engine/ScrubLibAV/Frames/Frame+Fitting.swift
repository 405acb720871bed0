internal import CScrubFFmpeg

extension Frame {
    /// A part of a picture, in pixels.
    package struct Area: Hashable, Sendable {
        package var (x, y) = (0, 0)
        package var width: Int
        package var height: Int

        package init(x: Int, y: Int, width: Int, height: Int) {
            (self.width, self.height) = (width, height)
            (self.x, self.y) = (x, y)
        }
    }

    /// Returns the picture inside a larger one of another format, surrounded by black (bicubic, `libswscale`).
    ///
    /// - Parameters:
    ///   - area: the position in the result; its corner is on a chroma sample.
    ///   - ranges: whether this picture's codes are full range, and whether the result's should be.
    /// - Precondition: the format has planes of single samples, and the area is inside the result.
    package func fitted(
        width: Int, height: Int, format: PixelFormat, area: Area, ranges: (from: Bool, to: Bool)
    ) throws(AVError) -> Frame {
        precondition(
            area.x >= 0 && area.y >= 0 && area.x + area.width <= width && area.y + area.height <= height,
            "the area is outside the picture")
        let small = try room(width: area.width, height: area.height, format)
        try Scaler(
            Scaler.Settings(
                source: shape, target: small.shape, flags: SWS_BICUBIC,
                ranges: Scaler.Ranges(source: ranges.from, target: ranges.to))
        ).convert(self, into: small)
        guard area != Area(x: 0, y: 0, width: width, height: height) else { return small }
        let result = try Frame.black(width: width, height: height, format: format, isFullRange: ranges.to)
        let bytes = format.bytesOfPlanarSamples ?? 1
        for plane in 0..<format.planeCount {
            let isChroma = (plane == 1 || plane == 2) && !format.isRGB
            let shift = isChroma ? format.chromaShift : (0, 0)
            let shape = small.planeShape(plane)
            guard let source = unsafe small.pointer.pointee.plane(plane),
                let target = unsafe result.pointer.pointee.plane(plane)
            else { continue }
            for row in 0..<shape.rows {
                let place = unsafe (row + (area.y >> shift.1)) * Int(result.pointer.pointee.stride(plane))
                unsafe UnsafeMutableRawPointer(target + place + (area.x >> shift.0) * bytes).copyMemory(
                    from: source + row * Int(small.pointer.pointee.stride(plane)), byteCount: shape.bytesPerRow)
            }
        }
        return result
    }

    /// Returns the picture in another pixel format, with its tags, as the ffmpeg command converts with `-pix_fmt`.
    ///
    /// RGB is converted to codes of limited range, as `libswscale` does by default, as are formats that are full range
    /// by name.
    package func converted(to format: PixelFormat) throws(AVError) -> Frame {
        let result = try resized(width: width, height: height, format: format)
        try unsafe check(av_frame_copy_props(result.pointer, pointer), "av_frame_copy_props")
        let own = pixelFormat
        if own.isRGB || own.isPaletted || own.isXYZ || own.isFullRangeByName {
            unsafe result.pointer.pointee.color_range = AVCOL_RANGE_MPEG
        }
        return result
    }

    /// Returns an opaque black picture.
    ///
    /// - Precondition: the format has planes of single samples, luma and chroma, not RGB.
    package static func black(
        width: Int, height: Int, format: PixelFormat, isFullRange: Bool
    ) throws(AVError) -> Frame {
        let result = try Frame().room(width: width, height: height, format)
        let bytes = format.bytesOfPlanarSamples ?? 1
        let up = format.bitDepth - 8
        for plane in 0..<format.planeCount {
            let code = plane == 3 ? (1 << format.bitDepth) - 1 : plane == 0 ? isFullRange ? 0 : 16 << up : 128 << up
            guard let target = unsafe result.pointer.pointee.plane(plane) else { continue }
            let shape = result.planeShape(plane)
            for row in 0..<shape.rows {
                let line = unsafe target + row * Int(result.pointer.pointee.stride(plane))
                if bytes == 1 {
                    unsafe line.update(repeating: UInt8(code), count: shape.bytesPerRow)
                } else {
                    for x in 0..<shape.bytesPerRow / 2 {
                        unsafe UnsafeMutableRawPointer(line + 2 * x).storeBytes(
                            of: UInt16(code).littleEndian, as: UInt16.self)
                    }
                }
            }
        }
        return result
    }

    /// Appends the visible bytes of all planes in order, rows top to bottom without padding.
    package func appendPacked(to bytes: inout [UInt8]) {
        for plane in 0..<planeCount {
            for y in 0..<planeShape(plane).rows {
                unsafe row(y, plane: plane).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
            }
        }
    }
}
