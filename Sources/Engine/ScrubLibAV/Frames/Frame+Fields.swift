internal import CScrubFFmpeg

extension Frame {
    /// Returns the moment of an interlaced picture's first field at full height. Its rows stay where they are, and the
    /// others become the mean of the rows above and below.
    ///
    /// So nothing moves by half a row, as it does when the rows of one field are taken for a picture of their own.
    /// Chroma stays where it belongs. Cost: one pass over the planes.
    ///
    /// - Returns: `nil` for formats whose samples are not bytes or words of this machine.
    package func wholeFirstField() throws(AVError) -> Frame? {
        guard let bytesPerSample = bytesOfPlainSamples, height > 1 else { return nil }
        let result = try Frame()
        unsafe (result.pointer.pointee.width, result.pointer.pointee.height) = (Int32(width), Int32(height))
        unsafe result.pointer.pointee.format = pixelFormat.rawValue
        try unsafe check(av_frame_get_buffer(result.pointer, 0), "av_frame_get_buffer")
        try unsafe check(av_frame_copy_props(result.pointer, pointer), "av_frame_copy_props")
        unsafe scrub_frame_set_progressive(result.pointer)
        let parity = isTopFieldFirst ? 0 : 1
        for plane in 0..<planeCount {
            let shape = planeShape(plane)
            guard let source = unsafe pointer.pointee.plane(plane),
                let target = unsafe result.pointer.pointee.plane(plane)
            else {
                return nil
            }
            let (from, into) = unsafe (Int(pointer.pointee.stride(plane)), Int(result.pointer.pointee.stride(plane)))
            for row in 0..<shape.rows {
                let place = unsafe UnsafeMutableRawPointer(target + row * into)
                // The nearest rows of the field; beyond its ends the last one.
                let above = row & 1 == parity ? row : row > 0 ? row - 1 : row + 1
                let below = row & 1 == parity ? row : row + 1 < shape.rows ? row + 1 : row - 1
                guard (0..<shape.rows).contains(above), (0..<shape.rows).contains(below) else {
                    unsafe place.copyMemory(from: source + row * from, byteCount: shape.bytesPerRow)
                    continue
                }
                let (first, second) = unsafe (
                    UnsafeRawPointer(source + above * from), UnsafeRawPointer(source + below * from)
                )
                if above == below {
                    unsafe place.copyMemory(from: first, byteCount: shape.bytesPerRow)
                } else if bytesPerSample == 1 {
                    unsafe Frame.mean(first, second, count: shape.bytesPerRow, UInt8.self, into: place)
                } else {
                    unsafe Frame.mean(first, second, count: shape.bytesPerRow / 2, UInt16.self, into: place)
                }
            }
        }
        return result
    }

    @inline(__always)
    private static func mean<Sample: FixedWidthInteger & UnsignedInteger>(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, count: Int, _: Sample.Type,
        into target: UnsafeMutableRawPointer
    ) {
        let a = unsafe first.assumingMemoryBound(to: Sample.self)
        let b = unsafe second.assumingMemoryBound(to: Sample.self)
        let out = unsafe target.assumingMemoryBound(to: Sample.self)
        for i in 0..<count {
            unsafe out[i] = unsafe Sample(truncatingIfNeeded: (UInt32(a[i]) &+ UInt32(b[i]) &+ 1) &>> 1)
        }
    }

    /// 1 or 2 where a plane is a row of whole samples of that many bytes, each a word of its own.
    private var bytesOfPlainSamples: Int? {
        guard let layouts = pixelFormat.sampleLayouts, let first = layouts.first, first.wordBytes <= 2, !first.isFloat,
            first.wordBytes == 1 || !first.isBigEndian
        else { return nil }
        for layout in layouts {
            let sharers = layouts.count { $0.plane == layout.plane }
            guard layout.wordBytes == first.wordBytes, layout.offset % first.wordBytes == 0,
                layout.step >= sharers * first.wordBytes
            else { return nil }
        }
        return first.wordBytes
    }
}
