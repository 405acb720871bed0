internal import CScrubFFmpeg

extension Frame {
    /// Returns one of the two fields, with half the height, in the same memory.
    ///
    /// If a plane has too few rows, they are copied, and the field's last row is repeated.
    func field(isBottom: Bool) throws(AVError) -> Frame {
        let first = isBottom ? 1 : 0
        let rows = (height - first + 1) / 2
        let lacksRows = (0..<planeCount).contains { plane in
            let needed = pixelFormat.planeShape(plane, width: width, height: rows).rows
            return !(pixelFormat.isPaletted && plane == 1) && 2 * (needed - 1) + first >= planeShape(plane).rows
        }
        if lacksRows {
            let pair = 2 << pixelFormat.chromaShift.y
            return try padded(width: width, height: (height + pair - 1) / pair * pair).field(
                isBottom: isBottom, rows: rows)
        }
        return try field(isBottom: isBottom, rows: rows)
    }

    private func field(isBottom: Bool, rows: Int) throws(AVError) -> Frame {
        let result = try Frame()
        try unsafe check(av_frame_ref(result.pointer, pointer), "av_frame_ref")
        let field = unsafe result.pointer
        unsafe field.pointee.height = Int32(rows)
        // The second field begins one row lower. A palette has no rows.
        let skipped = isBottom ? 1 : 0
        unsafe field.pointee.data.0 = unsafe pointer.pointee.data.0.map {
            unsafe $0 + skipped * bytesFromRowToRow(ofPlane: 0)
        }
        unsafe field.pointee.linesize.0 *= 2
        guard !pixelFormat.isPaletted else { return result }
        unsafe field.pointee.data.1 = unsafe pointer.pointee.data.1.map {
            unsafe $0 + skipped * bytesFromRowToRow(ofPlane: 1)
        }
        unsafe field.pointee.data.2 = unsafe pointer.pointee.data.2.map {
            unsafe $0 + skipped * bytesFromRowToRow(ofPlane: 2)
        }
        unsafe field.pointee.data.3 = unsafe pointer.pointee.data.3.map {
            unsafe $0 + skipped * bytesFromRowToRow(ofPlane: 3)
        }
        unsafe field.pointee.linesize.1 *= 2
        unsafe field.pointee.linesize.2 *= 2
        unsafe field.pointee.linesize.3 *= 2
        return result
    }

    /// Returns an interlaced picture's first field at full height. The field's rows stay where they are, and the other
    /// rows become the average of the rows above and below.
    ///
    /// Nothing moves by half a row, unlike when the rows of one field are scaled as a separate picture. Chroma keeps
    /// its position. Cost: one pass over the planes; with edges, 20 ms for 1080 rows.
    ///
    /// - Parameter alongEdges: whether to average along the nearest edge, up to two columns to the side, where those
    ///   samples are more similar than the ones directly above and below.
    /// - Returns: `nil` for formats whose samples are not bytes or native words.
    package func wholeFirstField(alongEdges: Bool = false) throws(AVError) -> Frame? {
        guard let bytesPerSample = bytesOfPlainSamples, height > 1 else { return nil }
        let result = try room(width: width, height: height, pixelFormat)
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
            // The distance between samples of one component.
            let step = alongEdges ? samplesToTheNext(ofPlane: plane) : 0
            let (from, into) = unsafe (Int(pointer.pointee.stride(plane)), Int(result.pointer.pointee.stride(plane)))
            for row in 0..<shape.rows {
                let place = unsafe UnsafeMutableRawPointer(target + row * into)
                // The nearest rows of the field; beyond its ends, the last one.
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
                    unsafe Frame.mean(first, second, count: shape.bytesPerRow, UInt8.self, step: step, into: place)
                } else {
                    unsafe Frame.mean(first, second, count: shape.bytesPerRow / 2, UInt16.self, step: step, into: place)
                }
            }
        }
        return result
    }

    @inline(__always)
    private static func mean<Sample: FixedWidthInteger & UnsignedInteger>(
        _ first: UnsafeRawPointer, _ second: UnsafeRawPointer, count: Int, _: Sample.Type, step: Int,
        into target: UnsafeMutableRawPointer
    ) {
        let a = unsafe first.assumingMemoryBound(to: Sample.self)
        let b = unsafe second.assumingMemoryBound(to: Sample.self)
        let out = unsafe target.assumingMemoryBound(to: Sample.self)
        for i in 0..<count {
            unsafe out[i] = unsafe Sample(truncatingIfNeeded: (UInt32(a[i]) &+ UInt32(b[i]) &+ 1) &>> 1)
        }
        // The search reads three columns to either side.
        guard step > 0, count > 6 * step else { return }
        for i in 3 * step..<count - 3 * step {
            // The difference of the samples, with their neighbors, that an edge through this position would connect.
            @inline(__always) func difference(_ columns: Int) -> Int32 {
                var sum: Int32 = 0
                for beside in -1...1 {
                    let (up, down) = (i &+ (beside &+ columns) &* step, i &+ (beside &- columns) &* step)
                    unsafe sum &+= abs(Int32(a[up]) &- Int32(b[down]))
                }
                return sum
            }
            // Vertical unless another direction is better. A steeper offset is tried only if the smaller one is better.
            var (least, best) = (difference(0) &- 1, 0)
            for side in [-1, 1] {
                for columns in 1...2 {
                    let found = difference(side &* columns)
                    guard found < least else { break }
                    (least, best) = (found, side &* columns)
                }
            }
            guard best != 0 else { continue }
            unsafe out[i] = unsafe Sample(
                truncatingIfNeeded: (UInt32(a[i &+ best &* step]) &+ UInt32(b[i &- best &* step]) &+ 1) &>> 1)
        }
    }

    private func samplesToTheNext(ofPlane plane: Int) -> Int {
        let layout = pixelFormat.sampleLayouts?.first { $0.plane == plane }
        return layout.map { $0.step / $0.wordBytes } ?? 0
    }

    /// The number of bytes, 1 or 2, if a plane consists of whole samples of that size, each in its own word.
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
