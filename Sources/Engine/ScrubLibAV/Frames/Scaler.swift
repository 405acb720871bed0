internal import CScrubFFmpeg

/// The owner of one libswscale context. It converts pixel format, range, matrix and size in one step. All calls to that
/// library use it.
///
/// The result depends only on the source's visible samples. Conversions for which libswscale (FFmpeg 5.1 to 7.1) leaves
/// samples unwritten, or reads past the source's rows, take a different path. Use from one thread at a time. Memory:
/// its tables and a few rows.
@safe package struct Scaler: ~Copyable, @unchecked Sendable {
    /// The luma and chroma weights between RGB and YCbCr, as libswscale numbers them.
    package enum Matrix: Int32, Sendable {
        case bt709 = 1
        case fcc = 4
        case bt601 = 5
        case smpte240M = 7
        case bt2020 = 9
    }

    /// The size and format of a picture.
    struct Shape: Hashable {
        var width: Int
        var height: Int
        var format: PixelFormat
    }

    /// The matrix and ranges of the samples. Without them, libswscale's defaults apply.
    struct Ranges: Hashable {
        var matrix: Int32 = SWS_CS_DEFAULT
        /// Whether source samples are full range.
        var source: Bool
        var target: Bool
    }

    /// Everything on which a context depends.
    struct Settings: Hashable {
        var source: Shape
        var target: Shape
        var flags: Int32
        var ranges: Ranges?
        /// The vertical positions of chroma, in 256ths of a luma row; `nil` for libswscale's default.
        var sourceChromaRow: Int?
        var targetChromaRow: Int?
    }

    let settings: Settings
    /// The context; `nil` if samples are only copied.
    private let context: OpaquePointer?

    /// Returns whether libswscale can convert pictures of a format at all.
    package static func canRead(_ format: PixelFormat) -> Bool { sws_isSupportedInput(format.native) != 0 }
    /// Returns whether libswscale can produce pictures in a format.
    static func canWrite(_ format: PixelFormat) -> Bool { sws_isSupportedOutput(format.native) != 0 }

    init(_ settings: Settings) throws(AVError) {
        unsafe context = settings.isCopy ? nil : try Scaler.context(settings)
        self.settings = settings
    }

    private static func context(_ settings: Settings) throws(AVError) -> OpaquePointer {
        let made = try unsafe allocated(sws_alloc_context(), "sws_alloc_context")
        do throws(AVError) {
            try unsafe prepare(made, settings)
        } catch {
            unsafe sws_freeContext(made)
            throw error
        }
        return unsafe made
    }

    private static func prepare(_ made: OpaquePointer, _ settings: Settings) throws(AVError) {
        let (source, target) = (settings.source, settings.target)
        var options: [(String, Int)] = [
            ("srcw", source.width), ("srch", source.height),
            ("src_format", Int((settings.detour ?? source.format).rawValue)), ("dstw", target.width),
            ("dsth", target.height), ("dst_format", Int(target.format.rawValue)), ("sws_flags", Int(settings.flags)),
        ]
        if let row = settings.sourceChromaRow { options.append(("src_v_chr_pos", row)) }
        if let row = settings.targetChromaRow { options.append(("dst_v_chr_pos", row)) }
        for (name, value) in options {
            try unsafe check(av_opt_set_int(UnsafeMutableRawPointer(made), name, Int64(value), 0), "av_opt_set_int")
        }
        try check(Log.quiet.listen { unsafe sws_init_context(made, nil, nil) }, "sws_init_context")
        guard let ranges = settings.ranges else { return }
        // For contrast and saturation, 1 << 16 is the neutral value.
        _ = Log.quiet.listen {
            unsafe sws_setColorspaceDetails(
                made, sws_getCoefficients(ranges.matrix), ranges.source ? 1 : 0, sws_getCoefficients(SWS_CS_DEFAULT),
                ranges.target ? 1 : 0, 0, 1 << 16, 1 << 16)
        }
    }

    deinit { unsafe sws_freeContext(context) }

    /// Converts a picture and fills another one with the result. The target keeps its tags.
    ///
    /// - Precondition: both have the shapes of the settings, and the target has no other owner.
    func convert(_ source: borrowing Frame, into target: borrowing Frame) throws(AVError) {
        precondition(
            source.shape == settings.source && target.shape == settings.target,
            "a picture of \(source.shape) cannot be converted into \(target.shape) with a scaler for \(settings)")
        if let detour = settings.detour {
            let plain = try source.detoured(by: detour, flags: settings.flags, ranges: settings.ranges)
            return try scale(plain, into: target)
        }
        try scale(source, into: target)
    }

    private func scale(_ source: borrowing Frame, into target: borrowing Frame) throws(AVError) {
        guard let context = unsafe context else { return source.copyRows(into: target) }
        // If a release of libswscale leaves samples unwritten, they are black or green rather than stale memory.
        target.clearRows()
        let (from, to) = unsafe (source.pointer, target.pointer)
        let planes: [UnsafePointer<UInt8>?] = unsafe (0..<4).map {
            unsafe from.pointee.plane($0).map { unsafe UnsafePointer($0) }
        }
        let strides: [Int32] = (0..<4).map { unsafe from.pointee.stride($0) }
        let targets: [UnsafeMutablePointer<UInt8>?] = unsafe (0..<4).map { unsafe to.pointee.plane($0) }
        let targetStrides: [Int32] = (0..<4).map { unsafe to.pointee.stride($0) }
        let height = Int32(source.height)
        let rows = Log.quiet.listen {
            unsafe sws_scale(context, planes, strides, 0, height, targets, targetStrides)
        }
        try check(rows, "sws_scale")
        guard Int(rows) == settings.target.height else { throw AVError(scrub_error_from_errno(22), "sws_scale") }
    }
}

extension Scaler.Settings {
    /// Whether the samples are copied unchanged. libswscale copies some formats only partly: a quarter of binary32, and
    /// no chroma if Cb and Cr share a plane.
    var isCopy: Bool { source == target && (ranges.map { $0.source == $0.target } ?? true) }

    /// The intermediate format to which a picture is converted first, at its own size.
    var detour: PixelFormat? {
        let own = source.format
        let isOdd = (source.width | source.height) & 1 == 1
        // A mosaic's cells are 2 x 2. With an odd row or column, libswscale reads beyond the picture.
        if own.isMosaic, isOdd { return own.bitDepth > 8 ? .rgb48 : .rgb24 }
        let isSameSize = (source.width, source.height) == (target.width, target.height)
        // Its fast path from packed 4:2:2 to 4:2:0 writes only whole pairs of rows.
        if own.isPackedHalved, isSameSize, isOdd, target.format.chromaShift.y == 1 {
            return PixelFormat(name: "yuv422p")
        }
        // libswscale fills the unused byte with alpha in a buffer, and reads uninitialized memory beyond a row's end.
        if own.hasUnusedByte, target.format.hasAlpha { return .rgb24 }
        return nil
    }
}

extension Frame {
    var shape: Scaler.Shape { Scaler.Shape(width: width, height: height, format: pixelFormat) }

    /// Returns the picture in another format at the same size. A mosaic is padded to whole cells.
    fileprivate func detoured(
        by format: PixelFormat, flags: Int32, ranges: Scaler.Ranges?
    ) throws(AVError) -> Frame {
        guard pixelFormat.isMosaic else { return try same(in: format, flags: flags, ranges: ranges) }
        let (columns, rows) = (width, height)
        let whole = try padded(width: (columns + 1) & ~1, height: (rows + 1) & ~1)
        let result = try whole.same(in: format, flags: flags, ranges: ranges)
        // The planes keep their start addresses.
        unsafe (result.pointer.pointee.width, result.pointer.pointee.height) = (Int32(columns), Int32(rows))
        return result
    }

    private func same(in format: PixelFormat, flags: Int32, ranges: Scaler.Ranges?) throws(AVError) -> Frame {
        let result = try room(width: width, height: height, format)
        // The samples keep their range. The second step changes it.
        let kept = ranges.map { Scaler.Ranges(matrix: $0.matrix, source: $0.source, target: $0.source) }
        let settings = Scaler.Settings(
            source: shape, target: result.shape, flags: flags, ranges: format.isRGB ? nil : kept)
        try Scaler(settings).convert(self, into: result)
        return result
    }

    /// Returns a copy with additional columns and rows. They repeat the columns and rows two before, so that pairs stay
    /// intact (fields, a mosaic's cells). A single row or column is repeated itself.
    ///
    /// - Precondition: the size is not smaller, and columns are added only to pictures with one plane of whole samples.
    func padded(width newWidth: Int, height newHeight: Int) throws(AVError) -> Frame {
        precondition(newWidth >= width && newHeight >= height, "padding cannot make a picture smaller")
        let result = try room(width: newWidth, height: newHeight, pixelFormat)
        try unsafe check(av_frame_copy_props(result.pointer, pointer), "av_frame_copy_props")
        for plane in 0..<planeCount {
            let (own, wide) = (planeShape(plane), result.planeShape(plane))
            guard let source = unsafe pointer.pointee.plane(plane),
                let target = unsafe result.pointer.pointee.plane(plane), own.rows > 0, own.bytesPerRow > 0
            else { continue }
            let pair = 2 * max(1, own.bytesPerRow / max(1, width))
            for row in 0..<wide.rows {
                let from = row < own.rows ? row : own.rows > 1 ? own.rows - 2 + (row - own.rows) % 2 : 0
                let line = unsafe target + row * result.bytesFromRowToRow(ofPlane: plane)
                unsafe line.update(from: source + from * bytesFromRowToRow(ofPlane: plane), count: own.bytesPerRow)
                for x in stride(from: own.bytesPerRow, to: wide.bytesPerRow, by: 1) {
                    unsafe line[x] = unsafe line[x >= pair ? x - pair : x - pair / 2]
                }
            }
        }
        return result
    }

    /// Copies all visible samples into a picture of the same shape.
    fileprivate func copyRows(into target: borrowing Frame) {
        for plane in 0..<planeCount {
            let shape = planeShape(plane)
            guard let from = unsafe pointer.pointee.plane(plane), let to = unsafe target.pointer.pointee.plane(plane)
            else { continue }
            let (stride, into) = (bytesFromRowToRow(ofPlane: plane), target.bytesFromRowToRow(ofPlane: plane))
            for row in 0..<shape.rows {
                unsafe (to + row * into).update(from: from + row * stride, count: shape.bytesPerRow)
            }
        }
    }

    /// Sets every visible sample to 0.
    fileprivate func clearRows() {
        for plane in 0..<planeCount {
            let shape = planeShape(plane)
            guard let base = unsafe pointer.pointee.plane(plane) else { continue }
            for row in 0..<shape.rows {
                unsafe (base + row * bytesFromRowToRow(ofPlane: plane)).update(repeating: 0, count: shape.bytesPerRow)
            }
        }
    }
}

extension PixelFormat {
    /// Whether the samples come from a sensor, each with one color (Bayer).
    var isMosaic: Bool { has(AV_PIX_FMT_FLAG_BAYER) }
    /// Whether Y, Cb and Cr of two pixels are four bytes in a row.
    fileprivate var isPackedHalved: Bool {
        [AV_PIX_FMT_YUYV422, AV_PIX_FMT_UYVY422, AV_PIX_FMT_YVYU422].contains(native)
    }
    /// Whether red, green and blue share a pixel with an unused byte.
    fileprivate var hasUnusedByte: Bool {
        [AV_PIX_FMT_RGB0, AV_PIX_FMT_BGR0, AV_PIX_FMT_0RGB, AV_PIX_FMT_0BGR].contains(native)
    }
}
