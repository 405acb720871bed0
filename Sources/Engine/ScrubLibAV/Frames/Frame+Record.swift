internal import CScrubFFmpeg
internal import ScrubIsolation

extension Frame {
    /// Everything that is known of the picture beside its samples: shape, tags, number and light.
    ///
    /// The numbers are those of this libav's release.
    package var record: [UInt8] {
        var message = MessageWriter()
        message.put(self)
        return message.bytes
    }

    /// Copies rows into a plane. What is beyond the plane's shape is left out.
    ///
    /// - Parameters:
    ///   - bytes: rows, top row first.
    ///   - bytesPerRow: from one row's first byte to the next one's, at least those of the plane's rows.
    /// - Precondition: the plane exists, `bytes` has its rows, and no other owner has the picture.
    package mutating func fill(plane: Int, with bytes: Span<UInt8>, bytesPerRow: Int) {
        let shape = planeShape(plane)
        precondition(plane >= 0 && plane < planeCount, "plane \(plane)")
        precondition(
            bytesPerRow >= shape.bytesPerRow && shape.rows > 0
                && bytes.count >= bytesPerRow * (shape.rows - 1) + shape.bytesPerRow, "a plane of too few bytes")
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
    /// Returns room for a picture that a record describes, with its tags.
    ///
    /// - Parameters:
    ///   - record: ``Frame/record``, which need not be believed.
    ///   - limits: the stream's limits for a picture.
    /// - Returns: `nil` if the record is not one, or there is no memory.
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
    /// The format of 8 bits with planes of luma, chroma at half or full resolution, and perhaps alpha, that is nearest:
    /// what coders of planes take. `nil` for formats that libswscale does not read, and for XYZ.
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
