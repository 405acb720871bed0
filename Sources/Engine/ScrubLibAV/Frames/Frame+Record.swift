internal import CScrubFFmpeg
internal import ScrubIsolation

extension Frame {
    /// All data of the picture except its samples: shape, tags, number, and light levels.
    ///
    /// The values are those of this libav release.
    package var record: [UInt8] {
        var message = MessageWriter()
        message.put(self)
        return message.bytes
    }

    /// Copies rows into a plane. Data outside the plane's shape is ignored.
    ///
    /// - Parameters:
    ///   - bytes: the rows, top row first.
    ///   - bytesPerRow: the distance from the first byte of one row to that of the next row, at least the size of the
    ///     plane's rows.
    /// - Precondition: the plane exists, `bytes` contains its rows, and the picture has no other owner.
    package mutating func fill(plane: Int, with bytes: Span<UInt8>, bytesPerRow: Int) {
        let shape = planeShape(plane)
        precondition(plane >= 0 && plane < planeCount, "there is no plane \(plane)")
        precondition(
            bytesPerRow >= shape.bytesPerRow && shape.rows > 0
                && bytes.count >= bytesPerRow * (shape.rows - 1) + shape.bytesPerRow, "the plane has too few bytes")
        guard let base = unsafe pointer.pointee.plane(plane) else { preconditionFailure("the frame has no picture") }
        let stride = bytesFromRowToRow(ofPlane: plane)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let source = source.baseAddress else { return }
            for row in 0..<shape.rows {
                unsafe (base + row * stride).update(from: source + row * bytesPerRow, count: shape.bytesPerRow)
            }
        }
    }
}

extension FrameAllocator {
    /// Returns an empty picture that a record describes, with its tags.
    ///
    /// - Parameters:
    ///   - record: the ``Frame/record``, which is not trusted.
    ///   - limits: the stream's limits for a picture.
    /// - Returns: `nil` if the record is invalid, or there is not enough memory.
    package func picture(describedBy record: [UInt8], limits: CodecDescription) -> Frame? {
        var message = MessageReader(record)
        guard let facts = try? message.picture(limits: limits), message.isAtEnd,
            let room = try? picture(width: facts.shape.width, height: facts.shape.height, format: facts.shape.format)
        else { return nil }
        facts.describe(room)
        return room
    }
}

extension PixelFormat {
    /// The closest 8-bit format with planes of luma, chroma at half or full resolution, and optionally alpha, as
    /// encoders of planes require. `nil` for formats that libswscale does not read, and for XYZ.
    package var planarEightBit: PixelFormat? {
        guard Scaler.canRead(self), !name.isEmpty, !name.hasPrefix("xyz") else { return nil }
        if isGray, !hasAlpha { return .gray8 }
        let sampling =
            switch chromaShift {
            case _ where isRGB || isPaletted || isGray: "444"
            case (0, _): "444"
            case (_, 0): "422"
            default: "420"
            }
        let kind = hasAlpha ? "yuva" : isFullRangeByName ? "yuvj" : "yuv"
        let format = unsafe av_get_pix_fmt("\(kind)\(sampling)p")
        return format == AV_PIX_FMT_NONE ? nil : PixelFormat(format)
    }
}
