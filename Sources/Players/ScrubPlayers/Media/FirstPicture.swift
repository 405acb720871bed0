internal import ScrubLibAV
internal import ScrubBase
internal import ScrubIndex
internal import ScrubMedia

/// The result of decoding a video's first picture.
struct FirstPicture: Sendable {
    /// The maximum length of a poster's longer side, in samples.
    static let posterSide = 320

    /// The reason why the first frame cannot be decoded; `nil` if it can.
    let problem: String?
    /// A reduced picture of the first frame, or else of the first keyframe after it; `nil` if neither can be decoded.
    let poster: FramePicture?

    /// Decodes the first picture on the caller's thread, and another one only if the first cannot be decoded.
    init(of asset: VideoAsset) throws {
        var options = FrameReader.Options()
        // For a single picture, more threads would only use more memory.
        (options.threadCount, options.decoderLimit, options.cacheByteLimit) = (1, 1, 0)
        var reader = FrameReader(asset, options: options)
        let first = try reader.frame(numbered: 0)
        problem = first.picture == nil ? first.verdict.reason ?? "its first frame cannot be decoded" : nil
        var picture = first.picture
        if picture == nil, let key = asset.frames.dropFirst().first(where: \.isKeyframe)?.number {
            picture = try reader.frame(numbered: key).picture
        }
        poster = picture.map { $0.reduced(longSide: FirstPicture.posterSide) }
    }
}

extension FramePicture {
    /// Returns the visible part of the picture, reduced so that its longer side has at most this many samples; the
    /// picture itself if it is small enough or cannot be reduced.
    fileprivate func reduced(longSide: Int) -> FramePicture {
        guard max(width, height) > longSide else { return self }
        let reducer = PictureReducer(
            longSide: longSide, asset.index.facts, FrameAllocator(reserveCount: 0))
        return reducer.reduce(shared).map { FramePicture($0, asset: asset) } ?? self
    }
}
