internal import ScrubBase
internal import ScrubDecoding
internal import ScrubFileIO
internal import ScrubIndex
internal import ScrubLibAV
internal import ScrubPictures

/// What became of a frame that a preview was to be made of.
enum PreviewOutcome: Sendable, Equatable {
    case made([UInt8])
    /// It has none: damaged, undecodable, or in a format without previews.
    case unavailable
    /// It could not be read now, and may be asked for again later.
    case unread
}

/// The maker of previews' bytes. A fake one stands in for the decoder in tests.
///
/// Used from one thread at a time.
protocol PreviewSource: AnyObject {
    /// Whether frames may be decoded for their previews alone: all bytes are there, and nothing is fetched for them.
    var canMakePasses: Bool { get }
    /// Makes previews of frames of one group, in one pass.
    ///
    /// - Parameters:
    ///   - isOver: asked between packets; may wait. True ends the pass; the decoder stays where it is.
    ///   - deliver: takes each frame.
    /// - Returns: false if there was no memory to decode in.
    func make(
        _ frames: [Int], isOver: @escaping @Sendable () -> Bool, deliver: (Int, PreviewOutcome) -> Void
    ) -> Bool
    /// Makes the preview of one picture that the session decoded.
    ///
    /// - Parameter deliver: takes the frame.
    /// - Returns: false if no picture waits for that, or memory is short.
    func makeOffered(_ deliver: (Int, PreviewOutcome) -> Void) -> Bool
    /// Closes its decoder, whose memory is wanted or which has nothing to do.
    func rest()
    /// Whether others want its decoder's memory.
    var isWantedBack: Bool { get }
}

/// Previews from a decoder of their own, on one thread.
final class EnginePreviewSource: PreviewSource {
    private let engine: FrameEngine
    private let file: MediaSource
    /// A decoded picture that has no preview yet.
    private let nextOffered: @Sendable () -> (frame: Int, image: SharedFrame)?
    private let coder: PreviewCoder
    /// Memory for the decoder as long as it is open.
    private let work: SpareWork

    /// - Parameters:
    ///   - allocator: of the reduced pictures.
    ///   - budget: the member of a budget that the decoder's memory is set aside for.
    ///   - decoders: counts the decoder, where decoders are shared.
    ///   - nextOffered: returns a decoded picture that has no preview yet.
    init(
        _ asset: VideoAsset, _ recipe: PreviewCoder.Recipe, _ allocator: FrameAllocator,
        budget: BudgetMember, decoders: (any SpareDecoders)?,
        nextOffered: @escaping @Sendable () -> (frame: Int, image: SharedFrame)?
    ) {
        self.nextOffered = nextOffered
        var options = FrameEngine.Options()
        (options.decoderLimit, options.threadCount, options.cacheByteLimit) = (1, 1, 0)
        // A picture that is not clean has no preview: nothing is examined again for it.
        options.hasSecondOpinions = false
        (file, engine) = (asset.file, FrameEngine(asset.seekPlanner(), options: options, budget: budget))
        coder = PreviewCoder(
            recipe, codec: asset.index.facts.descriptions.first, cleanAperture: asset.index.facts.cleanAperture,
            allocator: allocator)
        work = SpareWork(
            budget, pieceByteCount: PreviewTrack.workingByteCount(asset.index), decoders: decoders)
    }

    var canMakePasses: Bool { EnginePreviewSource.hasAtHand(file) }

    /// Whether the whole file can be read without waiting.
    private static func hasAtHand(_ file: MediaSource) -> Bool {
        !file.isRemote || file.hasAtHand(0..<Int64(file.byteCount))
    }

    func make(
        _ frames: [Int], isOver: @escaping @Sendable () -> Bool, deliver: (Int, PreviewOutcome) -> Void
    ) -> Bool {
        guard work.take(1) else { return false }
        var left = Set(frames)
        let cancellation = Cancellation()
        do throws(ScrubError) {
            try cancellation.perform { () throws(ScrubError) in
                try engine.frames(frames) { [file] in
                    // Not a condition of the cancellation: within a read it would wait with locks.
                    if isOver() || !EnginePreviewSource.hasAtHand(file) { cancellation.cancel() }
                } deliver: { (frame, answer) throws(ScrubError) in
                    let image = answer.verdict == .exact ? answer.frame : nil
                    deliver(frame, try outcome(image))
                    left.remove(frame)
                }
            }
        } catch {
            if error.isCancellation { return true }
            if error.code == .unavailable { return false }
            // What cannot be decoded has none; asked for, it says why. What cannot be read may be read another time.
            for frame in left { deliver(frame, error.code == .inputOutput ? .unread : .unavailable) }
        }
        return true
    }

    func makeOffered(_ deliver: (Int, PreviewOutcome) -> Void) -> Bool {
        guard let (frame, image) = nextOffered() else { return false }
        do throws(ScrubError) {
            deliver(frame, try outcome(image))
            return true
        } catch {
            return false
        }
    }

    private func outcome(_ image: SharedFrame?) throws(ScrubError) -> PreviewOutcome {
        guard let image, let preview = try coder.encode(image) else { return .unavailable }
        return .made(preview)
    }

    func rest() {
        engine.closeDecoders()
        work.giveBack()
    }

    var isWantedBack: Bool { work.isWanted }
}
