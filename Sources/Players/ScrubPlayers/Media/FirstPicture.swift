internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex
internal import ScrubPictures

/// The results of decoding a video's first picture.
struct FirstPicture: Sendable {
    /// The most samples of a poster's longer side.
    static let posterSide = 320

    /// Why the first frame cannot be decoded; nil when it can.
    let problem: String?
    /// The first frame, or else the first one that stands alone, made small; nil when neither can be decoded.
    let poster: FramePicture?

    /// Decodes on the caller's thread: one picture, unless the stream begins with one that depends on others.
    init(of asset: VideoAsset, isCancelled: () -> Bool) throws {
        var options = FrameReader.Options()
        // For one picture more threads are only more memory.
        (options.threadCount, options.decoderLimit, options.cacheByteLimit) = (1, 1, 0)
        var reader = FrameReader(asset, options: options)
        let first = try reader.frame(numbered: 0)
        problem = first.picture == nil ? first.verdict.reason ?? "its first frame cannot be decoded" : nil
        var picture = first.picture
        if picture == nil, !isCancelled(), let key = asset.frames.dropFirst().first(where: \.isKeyframe)?.number {
            picture = try reader.frame(numbered: key).picture
        }
        poster = picture.map { $0.reduced(longSide: FirstPicture.posterSide) }
    }
}

extension FramePicture {
    /// Returns the picture with sides of at most so many samples; itself if it is small enough, or if there is no way.
    fileprivate func reduced(longSide: Int) -> FramePicture {
        let size = FrameReducer.size(width: width, height: height, longSide: longSide)
        guard size.width < width || size.height < height, FrameReducer.canReduce(shared.frame.pixelFormat) else {
            return self
        }
        var reducer = FrameReducer()
        guard var small = try? reducer.reduce(shared.frame, width: size.width, height: size.height) else { return self }
        // Untagged pictures are known by their size, which is lost here: a small one would have other colors.
        let color = ColorSpec.resolve(frame: shared.frame, codec: asset.index.facts.descriptions.first).color
        if color.matrix != 0 { small.tag(matrix: color.matrix) }
        return FramePicture(SharedFrame(small), asset: asset)
    }
}
