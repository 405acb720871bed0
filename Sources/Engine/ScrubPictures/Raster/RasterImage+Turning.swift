extension RasterImage {
    /// Returns the picture rotated (and mirrored) upright. Pixels change only their positions.
    ///
    /// Cost: one pass over the pixels, in tiles so that reading down a column stays in the cache.
    package func turned(_ orientation: Orientation) -> RasterImage {
        guard !orientation.isUpright else { return self }
        let size = orientation.swapsAxes ? (height, width) : (width, height)
        let map = orientation.pixelMap(width: width, height: height)
        let moved: [UInt8] =
            switch bytesPerPixel {
            case 1: moving(map, size, UInt8.self, 1)
            case 2: moving(map, size, UInt16.self, 1)
            case 3: moving(map, size, UInt8.self, 3)
            case 4: moving(map, size, UInt32.self, 1)
            case 6: moving(map, size, UInt16.self, 3)
            default: moving(map, size, UInt64.self, 1)
            }
        return RasterImage(
            width: size.0, height: size.1, channels: channels, bitDepth: bitDepth, bytes: moved, color: color)
    }

    /// Moves pixels of `units` machine words each.
    ///
    /// The map is a bijection between the two pixel grids. The initializer has checked that both have all their bytes,
    /// so single pixels are not checked again.
    @inline(__always)
    private func moving<Unit: FixedWidthInteger & BitwiseCopyable>(
        _ map: Orientation.PixelMap, _ size: (width: Int, height: Int), _: Unit.Type, _ units: Int
    ) -> [UInt8] {
        // 32 pixels of 8 bytes are four cache lines: a source tile and a target tile fit the first-level cache.
        let tile = 32
        let unitBytes = MemoryLayout<Unit>.size
        let pixel = unitBytes * units
        let (sourceStride, targetStride) = (bytesPerRow, size.width * pixel)
        let stepX = map.xx * pixel + map.yx * sourceStride
        var moved = [UInt8](repeating: 0, count: bytes.count)
        var words = moved.mutableSpan
        var target = unsafe words.mutableBytes
        let source = unsafe bytes.span.bytes
        for top in stride(from: 0, to: size.height, by: tile) {
            for left in stride(from: 0, to: size.width, by: tile) {
                for y in top..<min(top + tile, size.height) {
                    var from = (map.yx * left + map.yy * y + map.y0) * sourceStride
                    from += (map.xx * left + map.xy * y + map.x0) * pixel
                    var to = y * targetStride + left * pixel
                    for _ in left..<min(left + tile, size.width) {
                        for unit in 0..<units {
                            let word = unsafe source.unsafeLoadUnaligned(
                                fromUncheckedByteOffset: from &+ unit &* unitBytes, as: Unit.self)
                            unsafe target.storeBytes(
                                of: word, toUncheckedByteOffset: to &+ unit &* unitBytes, as: Unit.self)
                        }
                        from &+= stepX
                        to &+= pixel
                    }
                }
            }
        }
        return moved
    }
}
