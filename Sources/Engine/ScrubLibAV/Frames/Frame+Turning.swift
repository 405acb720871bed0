internal import CScrubFFmpeg

extension Frame {
    /// Returns the picture mirrored left to right (if requested) and then rotated clockwise, sample by sample, like
    /// ffmpeg's `transpose`, `hflip`, and `vflip`.
    ///
    /// - Parameter quarterTurns: 0 to 3.
    /// - Returns: `nil` for formats whose planes are not rows of single samples, and for quarter turns of formats whose
    ///   chroma subsampling differs between the directions. These are converted first.
    package func turned(quarterTurns: Int, isMirrored: Bool) throws(AVError) -> Frame? {
        let swapsAxes = quarterTurns & 1 == 1
        let shift = pixelFormat.chromaShift
        guard let bytes = pixelFormat.bytesOfPlanarSamples, !swapsAxes || shift.x == shift.y else { return nil }
        let result = try room(width: swapsAxes ? height : width, height: swapsAxes ? width : height, pixelFormat)
        try unsafe check(av_frame_copy_props(result.pointer, pointer), "av_frame_copy_props")
        for plane in 0..<planeCount {
            let from = planeShape(plane)
            let into = result.planeShape(plane)
            guard let source = unsafe pointer.pointee.plane(plane),
                let target = unsafe result.pointer.pointee.plane(plane)
            else {
                return nil
            }
            let (columns, rows) = (from.bytesPerRow / bytes, from.rows)
            let stride = unsafe Int(pointer.pointee.stride(plane))
            // The stored column and row of the result's first sample, and how they change along its rows and its
            // columns.
            let (stored, y): ((first: Int, across: Int, down: Int), (first: Int, across: Int, down: Int)) =
                switch quarterTurns & 3 {
                case 0: ((0, 1, 0), (0, 0, 1))
                case 1: ((0, 0, 1), (rows - 1, -1, 0))
                case 2: ((columns - 1, -1, 0), (rows - 1, 0, -1))
                default: ((columns - 1, 0, -1), (0, 1, 0))
                }
            let x = isMirrored ? (columns - 1 - stored.first, -stored.across, -stored.down) : stored
            let first = x.0 * bytes + y.first * stride
            let (across, down) = (x.1 * bytes + y.across * stride, x.2 * bytes + y.down * stride)
            for row in 0..<into.rows {
                let line = unsafe target + row * Int(result.pointer.pointee.stride(plane))
                let start = unsafe source + first + row * down
                if bytes == 1 {
                    for x in 0..<into.bytesPerRow { unsafe line[x] = unsafe start[x * across] }
                } else {
                    for x in 0..<into.bytesPerRow / 2 {
                        unsafe UnsafeMutableRawPointer(line + 2 * x).storeBytes(
                            of: UnsafeRawPointer(start + x * across).loadUnaligned(as: UInt16.self), as: UInt16.self)
                    }
                }
            }
        }
        return result
    }

    /// Returns an empty picture with its own memory.
    func room(width: Int, height: Int, _ format: PixelFormat) throws(AVError) -> Frame {
        let result = try Frame()
        unsafe (result.pointer.pointee.width, result.pointer.pointee.height) = (Int32(width), Int32(height))
        unsafe result.pointer.pointee.format = format.rawValue
        try unsafe check(av_frame_get_buffer(result.pointer, 0), "av_frame_get_buffer")
        return result
    }
}

extension PixelFormat {
    /// The number of bytes, 1 or 2, if every component has its own plane, whose rows consist of samples of that size
    /// without gaps.
    package var bytesOfPlanarSamples: Int? {
        guard let layouts = sampleLayouts, let first = layouts.first, first.wordBytes <= 2,
            Set(layouts.map(\.plane)).count == layouts.count,
            layouts.allSatisfy({ $0.step == first.wordBytes && $0.wordBytes == first.wordBytes && $0.offset == 0 })
        else { return nil }
        return first.wordBytes
    }

    /// Creates the format with one of libav's names.
    package init?(name: String) {
        let format = unsafe av_get_pix_fmt(name)
        guard format != AV_PIX_FMT_NONE else { return nil }
        self.init(format)
    }
}
