internal import ScrubFileIO
package import ScrubLibAV
internal import ScrubIndex

/// The transparency that a file keeps beside a video's pictures.
///
/// It is a stream of its own, with its own keys, and is decoded as any other. A picture's transparency is that of the
/// stream's linear decode. Nothing is read before a picture is shown.
///
/// Thread safety: safe from any thread; one decodes at a time. Memory: its index, and of a ``FrameReader`` 32 MiB of
/// pictures and two decoders.
final class AlphaPictures: Sendable {
    private final class Opened {
        let alpha: AlphaIndex
        var reader: FrameReader

        init(_ alpha: AlphaIndex, _ reader: consuming FrameReader) {
            self.alpha = alpha
            self.reader = reader
        }
    }

    private enum State {
        case unread
        case opened(Opened)
        case unreadable(String)
    }

    private let state = Locked(State.unread)

    /// Returns a picture with its transparency, and a sentence where that is not as it should be.
    ///
    /// - Parameters:
    ///   - picture: as it was decoded, or a smaller one of the same.
    ///   - asset: the video that it is of.
    /// - Throws: `inputOutput` when reading fails.
    func joined(_ picture: SharedFrame, of asset: VideoAsset) throws(ScrubError) -> (SharedFrame, warning: String?) {
        // Frames carry the number of the coded picture through everything that is made of them.
        guard let stamp = picture.frame.number, stamp >= 0, !picture.frame.pixelFormat.hasAlpha else {
            return (picture, nil)
        }
        let number = Int(stamp & 0xffff_ffff)
        let (found, warning) = try state.withLock { (state) throws(ScrubError) in
            try AlphaPictures.frame(number, &state, asset)
        }
        guard let found else { return (picture, warning) }
        let whole = try translatingErrors("the picture's transparency cannot be added") { () throws(AVError) in
            guard let joined = try picture.frame.joined(alpha: found.frame) else { return SharedFrame?.none }
            return SharedFrame(joined)
        }
        guard let whole else {
            return (picture, "the picture is shown opaque: no format holds it with its transparency")
        }
        return (whole, warning)
    }

    private static func frame(
        _ picture: Int, _ state: inout State, _ asset: VideoAsset
    ) throws(ScrubError) -> (SharedFrame?, String?) {
        if case .unread = state {
            do throws(ScrubError) {
                state = .opened(try open(asset))
            } catch {
                if error.code == .inputOutput { throw error }
                state = .unreadable(error.cause)
            }
        }
        switch state {
        case .unread: return (nil, nil)
        case .unreadable(let why): return (nil, "its transparency cannot be read, pictures are opaque: \(why)")
        case .opened(let opened):
            guard let frame = opened.alpha.frame(ofPicture: picture) else {
                return (nil, opened.alpha.problem.map { "its transparency cannot be read to the end: \($0)" })
            }
            let answer = try opened.reader.frame(numbered: frame)
            guard let shared = answer.picture?.shared else {
                return (nil, "transparency that cannot be decoded is left out: \(answer.verdict.reason ?? "")")
            }
            if case .exact = answer.verdict { return (shared, nil) }
            return (shared, "transparency is damaged: \(answer.verdict.reason ?? "")")
        }
    }

    private static func open(_ asset: VideoAsset) throws(ScrubError) -> Opened {
        let alpha = try AlphaIndex(of: asset.index, in: asset.file)
        var options = VideoAsset.OpenOptions(stream: asset.index.facts.streamIndex, cache: .none)
        options.limits = asset.file.limits
        // Nothing of it is saved: finding it again costs a walk over the blocks' headers.
        let video = try VideoAsset(asset.file, index: alpha.index, options: options, isFinal: false)
        var reading = FrameReader.Options()
        (reading.decoderLimit, reading.cacheByteLimit) = (2, 32 << 20)
        return Opened(alpha, FrameReader(video, options: reading))
    }
}

extension VideoAsset {
    /// Returns a decoded picture as it is to be shown. It has the transparency that the file keeps beside it, or a
    /// sentence if that is not available.
    package func withAlpha(_ picture: SharedFrame) throws(ScrubError) -> (picture: SharedFrame, warnings: [String]) {
        guard let alpha else { return (picture, []) }
        let (whole, warning) = try alpha.joined(picture, of: self)
        return (whole, warning.map { [$0] } ?? [])
    }
}
