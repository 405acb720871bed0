internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

// The layout that programs in other languages expect: rows without padding, plane after plane.
extension FramePicture {
    /// The size in bytes of the stored samples, with planes in order and rows without padding.
    package var packedByteCount: Int {
        (0..<planeCount).reduce(0) { sum, number in
            let plane = plane(number)
            return sum + plane.bytesPerRow * plane.rowCount
        }
    }

    /// Writes the stored samples, with planes in order and rows without padding. These are the bytes that ``md5()``
    /// hashes.
    ///
    /// - Precondition: `target` has room for ``packedByteCount``.
    package func writePacked(into target: inout MutableSpan<UInt8>) {
        precondition(
            target.count >= packedByteCount,
            "the buffer has \(target.count) bytes, but the picture needs \(packedByteCount) (packedByteCount)")
        var at = 0
        for number in 0..<planeCount {
            let plane = plane(number)
            for row in 0..<plane.rowCount {
                plane.withRow(row) { bytes in
                    unsafe target.withUnsafeMutableBytes { target in
                        unsafe bytes.withUnsafeBytes { unsafe target[at..<at + $0.count].copyBytes(from: $0) }
                    }
                }
                at += plane.bytesPerRow
            }
        }
    }

    /// Returns the dimensions that ``writeRGB(into:_:)`` writes, which are those of ``png(_:)``.
    package func shownSize(_ options: FramePicture.Options = .init()) -> (width: Int, height: Int) {
        let facts = asset.index.facts
        return PictureRenderer.size(
            of: shared, codec: facts.descriptions[0], containerAspect: facts.sampleAspectRatio,
            displayMatrix: facts.displayMatrix, cleanAperture: facts.cleanAperture,
            rawGeometry: !options.appliesGeometry)
    }

    /// Writes the picture as packed 8-bit RGB: the pixels of ``png(_:)`` with
    /// ``FramePicture/DynamicRangePolicy/matchSource``. Gray is repeated, deeper codes are rounded to eight bits, and
    /// transparent pixels are composited over black.
    ///
    /// Cost: two to three milliseconds for 8-bit 1080p that needs no rotation or aspect correction, without additional
    /// memory. Otherwise, the cost is that of the PNG without its compression.
    ///
    /// - Precondition: `target` has room for three bytes for each pixel of ``shownSize(_:)``.
    package func writeRGB(
        into target: inout MutableSpan<UInt8>, _ options: FramePicture.Options = .init()
    ) throws(ScrubError) {
        let facts = asset.index.facts
        // As for other pictures, separately stored alpha is composited over black.
        let stored = try asset.withAlpha(shared).picture
        let whole = options.deinterlaces ? try stored.firstField(alongEdges: true) : stored
        try PictureRenderer.writeRGB(
            whole, codec: facts.descriptions[0], containerAspect: facts.sampleAspectRatio,
            displayMatrix: facts.displayMatrix, cleanAperture: facts.cleanAperture,
            rawGeometry: !options.appliesGeometry,
            into: &target)
    }
}

extension VideoAsset {
    /// The maximum size in bytes of one of the video's decoded pictures.
    package var pictureByteCount: Int { index.pictureBufferByteCount }
}
