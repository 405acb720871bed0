package import ScrubLibAV
package import ScrubBase

/// Converts a decoded frame to the picture to display.
package enum PictureRenderer {
    /// Renders a frame upright, with square pixels, as gray or RGB with the source's alpha.
    ///
    /// More than 8 bits per component become 16. High dynamic range is kept, not tone-mapped: the result's color
    /// specification describes the values.
    ///
    /// - Parameters:
    ///   - codec: the stream's description, for tags that the frame lacks.
    ///   - containerAspect: the container's sample aspect ratio, which takes precedence over the frame's.
    ///   - displayMatrix: the container's nine numbers, which take precedence over the frame's side data.
    ///   - cleanAperture: the visible part; `nil` for all.
    ///   - rawGeometry: whether to leave the stored pixel grid as it is: no cropping, rotation, or scaling.
    ///   - isDeep: whether 8-bit pictures are converted to 16 bits too.
    /// - Returns: the picture, and a warning for everything that could not be applied.
    /// - Throws: ``ScrubError/Code/badData`` for a frame without a picture, ``ScrubError/Code/unavailable`` for one in
    ///   a device's memory.
    package static func render(
        _ frame: SharedFrame, codec: CodecDescription?, containerAspect: Rational?, displayMatrix: [Int32]?,
        cleanAperture: CleanAperture? = nil, rawGeometry: Bool, isDeep: Bool = false
    ) throws(ScrubError) -> (image: RasterImage, warnings: [String]) {
        let (color, colorWarnings) = ColorSpec.resolve(frame: frame.frame, codec: codec)
        let rasterizer = Rasterizer(color: color, codec: codec, isAlwaysDeep: isDeep)
        if rawGeometry { return (try rasterizer.raster(frame.frame), colorWarnings) }
        let stored = try seen(of: frame, cleanAperture, rasterizer)
        let geometry = geometry(
            of: frame, codec: codec, containerAspect: containerAspect, displayMatrix: displayMatrix)
        let size = geometry.squarePixelSize(width: stored.width, height: stored.height)
        let upright = stored.stretched(width: size.width, height: size.height).turned(geometry.orientation)
        return (upright, colorWarnings + geometry.warnings(width: stored.width, height: stored.height))
    }

    /// Returns the size of the result of ``render(_:codec:containerAspect:displayMatrix:cleanAperture:rawGeometry:)``
    /// for a frame.
    package static func size(
        of frame: SharedFrame, codec: CodecDescription?, containerAspect: Rational?, displayMatrix: [Int32]?,
        cleanAperture: CleanAperture?, rawGeometry: Bool
    ) -> (width: Int, height: Int) {
        var (width, height) = (frame.frame.width, frame.frame.height)
        if rawGeometry { return (width, height) }
        if let area = cleanAperture, area.fits(width: width, height: height) {
            (width, height) = (area.width, area.height)
        }
        return geometry(of: frame, codec: codec, containerAspect: containerAspect, displayMatrix: displayMatrix)
            .outputSize(width: width, height: height)
    }

    /// Writes the result of ``render(_:codec:containerAspect:displayMatrix:cleanAperture:rawGeometry:)`` as tightly
    /// packed 8-bit RGB: gray is repeated, deeper codes are rounded, transparent pixels lie on black. Pictures of 8-bit
    /// YCbCr whose geometry is as stored are written without a copy.
    ///
    /// - Precondition: `target` has three bytes for each pixel of
    ///   ``size(of:codec:containerAspect:displayMatrix:cleanAperture:rawGeometry:)``.
    package static func writeRGB(
        _ frame: SharedFrame, codec: CodecDescription?, containerAspect: Rational?, displayMatrix: [Int32]?,
        cleanAperture: CleanAperture?, rawGeometry: Bool, into target: inout MutableSpan<UInt8>
    ) throws(ScrubError) {
        let geometry = geometry(
            of: frame, codec: codec, containerAspect: containerAspect, displayMatrix: displayMatrix)
        let (width, height) = (frame.frame.width, frame.frame.height)
        let isAsStored =
            rawGeometry
            || geometry.orientation == .upright && geometry.outputSize(width: width, height: height) == (width, height)
                && cleanAperture == nil
        if isAsStored {
            let color = ColorSpec.resolve(frame: frame.frame, codec: codec).color
            precondition(
                target.count >= width * height * 3,
                "the buffer has \(target.count) bytes: \(width) x \(height) pixels of RGB need \(width * height * 3)")
            if Rasterizer(color: color, codec: codec).writeRGB(frame.frame, into: &target) { return }
        }
        let image = try render(
            frame, codec: codec, containerAspect: containerAspect, displayMatrix: displayMatrix,
            cleanAperture: cleanAperture, rawGeometry: rawGeometry
        ).image.flattened().reducedTo8Bits().withChannels(3)
        precondition(
            target.count >= image.bytes.count,
            "the buffer has \(target.count) bytes: the picture needs \(image.bytes.count)")
        unsafe target.withUnsafeMutableBytes { unsafe $0.copyBytes(from: image.bytes) }
    }

    private static func seen(
        of frame: SharedFrame, _ aperture: CleanAperture?, _ rasterizer: Rasterizer
    ) throws(ScrubError) -> RasterImage {
        guard let area = aperture, area.fits(width: frame.frame.width, height: frame.frame.height) else {
            return try rasterizer.raster(frame.frame)
        }
        let shift = frame.frame.pixelFormat.chromaShift
        guard area.left % (1 << shift.x) == 0, area.top % (1 << shift.y) == 0, !frame.frame.pixelFormat.isHardware
        else {
            // Between two samples of chroma: nothing may be moved, so some pixels outside are used in their
            // interpolation.
            return try rasterizer.raster(frame.frame)
                .cropped(x: area.left, y: area.top, width: area.width, height: area.height)
        }
        return try rasterizer.raster(try cropped(frame, to: area).frame)
    }

    private static func cropped(_ frame: SharedFrame, to area: CleanAperture) throws(ScrubError) -> SharedFrame {
        do throws(AVError) {
            return try frame.cropped(to: area)
        } catch {
            throw error.scrubError("the picture cannot be cropped")
        }
    }

    /// Returns the geometry that ``render(_:codec:containerAspect:displayMatrix:cleanAperture:rawGeometry:)`` applies.
    package static func geometry(
        of frame: SharedFrame, codec: CodecDescription?, containerAspect: Rational?, displayMatrix: [Int32]?
    ) -> PictureGeometry {
        let aspects = [containerAspect, frame.frame.sampleAspectRatio, codec?.sampleAspectRatio]
        // For H.264 and HEVC, libavcodec attaches the message to one picture only, although it applies to later
        // pictures too. The message of the first picture is in the stream's facts (`DisplayOrientation`).
        let own = ["h264", "hevc"].contains(codec?.codecName) ? nil : frame.frame.displayMatrix
        let matrix = displayMatrix ?? codec?.displayMatrix ?? own
        return PictureGeometry(
            orientation: matrix.map { Orientation(displayMatrix: $0) } ?? .upright,
            sampleAspectRatio: aspects.compactMap { $0 }.first { $0 > .zero } ?? .one)
    }
}

extension CodecDescription {
    fileprivate var sampleAspectRatio: Rational? {
        Rational(checked: Int64(aspectNumerator), Int64(aspectDenominator))
    }
}
