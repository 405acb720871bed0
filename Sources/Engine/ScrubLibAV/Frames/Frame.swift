internal import CScrubFFmpeg
package import ScrubBase

/// The owner of one `AVFrame`: a decoded picture, or memory for one.
///
/// The planes are reference counted by libav: a second owner of the same picture costs no copy.
@safe package struct Frame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    package init() throws(AVError) { unsafe pointer = try unsafe allocated(av_frame_alloc(), "av_frame_alloc") }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&pointer)
    }

    /// The number of the picture's packet, if the decoder returned one.
    package var number: Int64? { unsafe Packet.time(pointer.pointee.pts) }
    /// The number of visible columns.
    package var width: Int { unsafe Int(pointer.pointee.width) }
    package var height: Int { unsafe Int(pointer.pointee.height) }
    package var pixelFormat: PixelFormat { unsafe PixelFormat(AVPixelFormat(pointer.pointee.format)) }
    /// Whether the decoder marks the picture as damaged (`AV_FRAME_FLAG_CORRUPT`, `decode_error_flags`).
    package var isDamaged: Bool {
        unsafe pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || pointer.pointee.decode_error_flags != 0
    }
    /// Whether the decoder reports that the picture does not depend on any other.
    package var isKey: Bool { unsafe scrub_frame_is_key(pointer) != 0 }
    /// Whether the picture's rows belong alternately to two fields from different moments (`AV_FRAME_FLAG_INTERLACED`).
    package var isInterlaced: Bool { unsafe scrub_frame_is_interlaced(pointer) != 0 }
    /// Whether the field that begins with the first row was captured first.
    package var isTopFieldFirst: Bool { unsafe scrub_frame_is_top_field_first(pointer) != 0 }
    package var sampleAspectRatio: Rational? { unsafe StreamDescription.positive(pointer.pointee.sample_aspect_ratio) }
    /// Code points of ISO/IEC 23091-2 (2 is "unspecified").
    package var colorPrimaries: UInt32 { unsafe pointer.pointee.color_primaries.rawValue }
    package var colorTransfer: UInt32 { unsafe pointer.pointee.color_trc.rawValue }
    package var colorMatrix: UInt32 { unsafe pointer.pointee.colorspace.rawValue }

    /// The display matrix of the picture itself, if any: nine fixed-point numbers in 16.16 and 2.30 format.
    package var displayMatrix: [Int32]? {
        guard let data = unsafe av_frame_get_side_data(pointer, AV_FRAME_DATA_DISPLAYMATRIX),
            unsafe data.pointee.size >= 36, let bytes = unsafe data.pointee.data
        else { return nil }
        return (0..<9).map { unsafe UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
    }

    /// Moves the picture to a new owner and leaves this one empty.
    package mutating func take() throws(AVError) -> Frame {
        let other = try Frame()
        unsafe av_frame_move_ref(other.pointer, pointer)
        return other
    }

    package mutating func clear() { unsafe av_frame_unref(pointer) }

    /// Whether there are samples (``Decoder/handOutOnly(_:)``).
    package var hasSamples: Bool { unsafe pointer.pointee.data.0 != nil }

    /// The number of planes with samples.
    package var planeCount: Int { pixelFormat.planeCount }

    /// Returns the number of visible bytes in a row of a plane, and the number of its rows.
    package func planeShape(_ plane: Int) -> (bytesPerRow: Int, rows: Int) {
        pixelFormat.planeShape(plane, width: width, height: height)
    }

    /// Returns one row of a plane: its visible bytes, top row first.
    ///
    /// - Precondition: the plane and the row exist.
    @_lifetime(borrow self)
    package func row(_ row: Int, plane: Int) -> Span<UInt8> {
        let shape = planeShape(plane)
        precondition(plane < planeCount && row >= 0 && row < shape.rows, "there is no row \(row) in plane \(plane)")
        guard let base = unsafe pointer.pointee.plane(plane) else { preconditionFailure("the frame has no picture") }
        let start = unsafe base + row * Int(pointer.pointee.stride(plane))
        let buffer = unsafe UnsafeBufferPointer(start: UnsafePointer(start), count: shape.bytesPerRow)
        return unsafe _overrideLifetime(Span(_unsafeElements: buffer), borrowing: self)
    }

    /// Returns a plane from the first visible byte of its first row to the last one of its last row; `nil` for a
    /// picture that is stored upside down.
    ///
    /// - Precondition: the plane exists.
    @_lifetime(borrow self)
    package func samples(ofPlane plane: Int) -> Span<UInt8>? {
        let shape = planeShape(plane)
        precondition(plane >= 0 && plane < planeCount, "there is no plane \(plane)")
        let stride = bytesFromRowToRow(ofPlane: plane)
        guard let base = unsafe pointer.pointee.plane(plane), stride >= shape.bytesPerRow, shape.rows > 0 else {
            return nil
        }
        let buffer = unsafe UnsafeBufferPointer(
            start: UnsafePointer(base), count: stride * (shape.rows - 1) + shape.bytesPerRow)
        return unsafe _overrideLifetime(Span(_unsafeElements: buffer), borrowing: self)
    }

    /// Returns the distance from the first byte of a row to the first byte of the next; negative for a picture that is
    /// stored upside down.
    package func bytesFromRowToRow(ofPlane plane: Int) -> Int { unsafe Int(pointer.pointee.stride(plane)) }

    /// The number of bytes of the picture's buffers.
    package var byteCount: Int {
        var total = 0
        unsafe withUnsafePointer(to: pointer.pointee.buf) { buffers in
            unsafe buffers.withMemoryRebound(to: UnsafeMutablePointer<AVBufferRef>?.self, capacity: 8) { refs in
                for i in 0..<8 { unsafe total += refs[i]?.pointee.size ?? 0 }
            }
        }
        return total
    }
}

extension AVFrame {
    /// Returns the address of a plane's first row. The importer makes C arrays tuples, which cannot be subscripted.
    func plane(_ i: Int) -> UnsafeMutablePointer<UInt8>? {
        switch i {
        case 0: unsafe data.0
        case 1: unsafe data.1
        case 2: unsafe data.2
        case 3: unsafe data.3
        default: nil
        }
    }

    /// Returns the number of bytes from one row of a plane to the next; negative for pictures stored upside down.
    func stride(_ i: Int) -> Int32 {
        switch i {
        case 0: unsafe linesize.0
        case 1: unsafe linesize.1
        case 2: unsafe linesize.2
        case 3: unsafe linesize.3
        default: 0
        }
    }
}

/// A decoded picture that several threads may read and that never changes.
///
/// `@unchecked Sendable`: the frame is never written after it was stored here, and reading an `AVFrame`'s fields and
/// planes is safe from any thread.
package final class SharedFrame: @unchecked Sendable {
    package let frame: Frame
    /// The number of bytes of the picture's buffers.
    package let byteCount: Int

    package init(_ frame: consuming Frame) {
        byteCount = frame.byteCount
        self.frame = frame
    }

    /// Calls a closure with the visible bytes of one row of a plane.
    ///
    /// - Precondition: the plane and the row exist.
    package func withRow<R, E: Error>(
        _ row: Int, plane: Int, _ body: (Span<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        let shape = frame.planeShape(plane)
        precondition(
            plane < frame.planeCount && row >= 0 && row < shape.rows, "there is no row \(row) in plane \(plane)")
        guard let base = unsafe frame.pointer.pointee.plane(plane) else {
            preconditionFailure("the frame has no picture")
        }
        let start = unsafe base + row * Int(frame.pointer.pointee.stride(plane))
        // A span borrowed from a class's property would end with the access to it; the object keeps the bytes alive.
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(
            Span(_unsafeElements: UnsafeBufferPointer(start: UnsafePointer(start), count: shape.bytesPerRow)))
    }
}
