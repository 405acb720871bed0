internal import ScrubFileIO
package import ScrubLibAV
internal import ScrubIndex

/// The alpha pictures that a file stores separately from a video's pictures.
///
/// They form a separate stream with its own keys, which is decoded like any other. A picture's alpha is the one
/// produced by a linear decode of that stream. Nothing is read until a picture is shown.
///
/// Thread safety: safe from any thread; one thread decodes at a time. Memory: its index, and a ``FrameReader`` with 32
/// MiB of pictures and two decoders.
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

    /// Returns a picture with its alpha, and a warning if the alpha is missing or wrong.
    ///
    /// - Parameters:
    ///   - picture: the decoded picture, or a reduced version of it.
    ///   - asset: the video that contains the picture.
    /// - Throws: `inputOutput` if reading fails.
    func joined(_ picture: SharedFrame, of asset: VideoAsset) throws(ScrubError) -> (SharedFrame, warning: String?) {
        // Frames and everything derived from them have the number of the coded picture.
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
            return (picture, "the picture is shown without transparency: no pixel format can store it")
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
        case .unreadable(let why): return (nil, "its transparency cannot be read, so its pictures are opaque: \(why)")
        case .opened(let opened):
            guard let frame = opened.alpha.frame(ofPicture: picture) else {
                return (nil, opened.alpha.problem.map { "its transparency cannot be read completely: \($0)" })
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
        // The index is not saved, because finding it again takes only a pass over the blocks' headers.
        let video = try VideoAsset(asset.file, index: alpha.index, options: options, isFinal: false)
        var reading = FrameReader.Options()
        (reading.decoderLimit, reading.cacheByteLimit) = (2, 32 << 20)
        return Opened(alpha, FrameReader(video, options: reading))
    }
}

extension VideoAsset {
    /// Returns a decoded picture as it should be shown: with its separately stored alpha, or with a warning if that is
    /// not available.
    package func withAlpha(_ picture: SharedFrame) throws(ScrubError) -> (picture: SharedFrame, warnings: [String]) {
        guard let alpha else { return (picture, []) }
        let (whole, warning) = try alpha.joined(picture, of: self)
        return (whole, warning.map { [$0] } ?? [])
    }
}
