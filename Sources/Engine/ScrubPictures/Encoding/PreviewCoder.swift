package import ScrubBase
package import ScrubLibAV

/// Encodes decoded pictures as previews of a few kilobytes each, and decodes them.
///
/// A preview is the picture's own planes at a reduced size in 8 bits, coded as JPEG (Rec. ITU-T T.81) without color
/// conversion, and all other data of the picture. Chroma keeps its relative resolution; alpha is a second JPEG picture.
/// The container's crop is applied: a reduced picture cannot be cropped like a full-size one.
///
/// Use from one thread at a time. Memory: libswscale's tables, and a reduced picture.
package final class PreviewCoder {
    /// The settings of a preview.
    package struct Recipe: Sendable, Hashable {
        /// The longer side, in samples; smaller pictures keep their size.
        package var longSide: Int
        /// The quality, 1 to 100 in libjpeg's scale.
        package var quality: Int

        package init(longSide: Int = 640, quality: Int = 75) { (self.longSide, self.quality) = (longSide, quality) }
    }

    /// The version, which changes with the method of reducing or encoding: previews of different versions must not be
    /// mixed.
    package static let version = 2

    package let recipe: Recipe
    private var reducer = FrameReducer()
    private let codec: CodecDescription?
    private let cleanAperture: CleanAperture?
    private let allocator: FrameAllocator?

    /// - Parameters:
    ///   - codec: the stream's description, for its colors.
    ///   - cleanAperture: the visible part of the pictures; `nil` for all.
    ///   - allocator: the allocator of the encoded pictures.
    package init(
        _ recipe: Recipe, codec: CodecDescription?, cleanAperture: CleanAperture? = nil, allocator: FrameAllocator?
    ) {
        precondition(recipe.longSide > 0 && (1...100).contains(recipe.quality), "a preview needs a size and a quality")
        (self.recipe, self.codec, self.allocator) = (recipe, codec, allocator)
        self.cleanAperture = cleanAperture
    }

    /// Returns the preview of a picture; `nil` if its format does not support one.
    ///
    /// - Throws: ``ScrubError/Code/unavailable`` if there is not enough memory.
    package func encode(_ whole: SharedFrame) throws(ScrubError) -> [UInt8]? {
        guard let format = whole.frame.pixelFormat.planarEightBit, let image = try? whole.cropped(to: cleanAperture)
        else { return nil }
        let size = PreviewCoder.size(of: image.frame, recipe.longSide)
        guard
            var small = try? reducer.reduce(
                image.frame, width: size.width, height: size.height, format: format, in: allocator)
        else { throw ScrubError(.unavailable, "there is not enough memory for a preview") }
        // The colors of untagged pictures depend on their size, which is lost here: a small picture would have
        // different colors.
        let color = ColorSpec.resolve(frame: whole.frame, codec: codec).color
        if color.matrix != 0 { small.tag(matrix: color.matrix) }
        guard let planes = try? JPEG.encode(planes: format.isGray ? 0...0 : 0...2, of: small, quality: recipe.quality)
        else { return nil }
        var alpha: [UInt8] = []
        if format.hasAlpha {
            guard let coded = try? JPEG.encode(planes: 3...3, of: small, quality: recipe.quality) else { return nil }
            alpha = coded
        }
        let record = small.record
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 + record.count + planes.count + alpha.count)
        for part in [record.count, planes.count] {
            for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: part >> shift)) }
        }
        bytes += record
        bytes += planes
        bytes += alpha
        return bytes
    }

    /// Returns the picture of a preview.
    ///
    /// - Parameters:
    ///   - preview: the bytes, which need not be trusted.
    ///   - limits: the stream's limits for a picture.
    ///   - allocator: the allocator of the picture.
    /// - Returns: `nil` if the bytes are not a preview, or there is not enough memory.
    package static func decode(
        _ preview: [UInt8], limits: CodecDescription, in allocator: FrameAllocator
    ) -> SharedFrame? {
        guard preview.count > 8 else { return nil }
        func count(_ place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(preview[place + $1]) << (8 * $1) } }
        let (recordEnd, planesEnd) = (8 + count(0), 8 + count(0) + count(4))
        guard recordEnd < planesEnd, planesEnd <= preview.count,
            var frame = allocator.picture(describedBy: Array(preview[8..<recordEnd]), limits: limits),
            frame.pixelFormat == frame.pixelFormat.planarEightBit
        else { return nil }
        do throws(ScrubError) {
            let bytes = preview.span
            let format = frame.pixelFormat
            try JPEG.decode(
                bytes.extracting(recordEnd..<planesEnd), intoPlanes: format.isGray ? 0...0 : 0...2, of: &frame)
            if format.hasAlpha {
                try JPEG.decode(bytes.extracting(planesEnd..<bytes.count), intoPlanes: 3...3, of: &frame)
            }
            return SharedFrame(frame)
        } catch {
            return nil
        }
    }

    /// Returns the size of a picture's preview: even, so that chroma at half the resolution has whole samples.
    private static func size(of frame: borrowing Frame, _ longSide: Int) -> (width: Int, height: Int) {
        let size = FrameReducer.size(width: frame.width, height: frame.height, longSide: longSide)
        return ((size.width + 1) / 2 * 2, (size.height + 1) / 2 * 2)
    }
}
