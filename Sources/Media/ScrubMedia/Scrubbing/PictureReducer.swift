package import ScrubBase
package import ScrubIndex
package import ScrubLibAV
internal import ScrubPictures

/// Makes reduced copies of decoded pictures. Use from one thread at a time.
package final class PictureReducer {
    private var reducer = FrameReducer()
    private let size: (Int, Int) -> (width: Int, height: Int)
    private let codec: CodecDescription?
    private let cleanAperture: CleanAperture?
    private let allocator: FrameAllocator

    /// Creates a reducer.
    ///
    /// - Parameters:
    ///   - size: returns the reduced size for a given width and height.
    ///   - codec: the container's facts about the stream's colors.
    ///   - cleanAperture: the visible part of the pictures, which is cut out, because a reduced picture cannot be
    ///     cropped like a full one. `nil` for all.
    ///   - allocator: the allocator of the results.
    package init(
        size: @escaping (Int, Int) -> (width: Int, height: Int), _ codec: CodecDescription?,
        cleanAperture: CleanAperture? = nil, _ allocator: FrameAllocator
    ) {
        (self.size, self.codec, self.cleanAperture, self.allocator) = (size, codec, cleanAperture, allocator)
    }

    /// Creates a reducer with a given longer side, for the visible part of pictures.
    package convenience init(longSide: Int, _ facts: StreamFacts, _ allocator: FrameAllocator) {
        self.init(
            size: { FrameReducer.size(width: $0, height: $1, longSide: longSide) }, facts.descriptions.first,
            cleanAperture: facts.cleanAperture, allocator)
    }

    /// Returns a reduced picture; `nil` if there is no memory for it, or if it cannot be reduced.
    package func reduce(_ whole: SharedFrame) -> SharedFrame? {
        guard let image = try? whole.cropped(to: cleanAperture) else { return nil }
        let size = size(image.frame.width, image.frame.height)
        guard FrameReducer.canReduce(image.frame.pixelFormat),
            var small = try? reducer.reduce(image.frame, width: size.width, height: size.height, in: allocator)
        else { return nil }
        // The colors of untagged pictures are inferred from their size, which is lost here: a small picture would have
        // different colors.
        let color = ColorSpec.resolve(frame: whole.frame, codec: codec).color
        if color.matrix != 0 { small.tag(matrix: color.matrix) }
        return SharedFrame(small)
    }
}
