internal import ScrubBase
internal import ScrubDecoding
internal import ScrubFileIO
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

/// What comes after a step of a pass.
enum PreviewStep: Sendable {
    case more
    /// Nothing more comes out.
    case over
    /// There was no memory to decode in.
    case starved
}

/// The maker of previews' bytes. A fake one stands in for the decoder in tests.
///
/// Used from one thread at a time.
protocol PreviewSource: AnyObject {
    /// Whether frames may be decoded for their previews alone: all bytes are there, and nothing is fetched for them.
    var canMakePasses: Bool { get }
    /// Begins to make previews of frames that lie together.
    ///
    /// - Returns: false if there is no memory to decode in.
    func begin(_ frames: [Int]) -> Bool
    /// Does about one packet of what was begun.
    ///
    /// - Parameter deliver: takes the frames that come out.
    func step(_ deliver: (Int, PreviewOutcome) -> Void) -> PreviewStep
    /// Leaves what was begun; the decoder stays where it is.
    func leave()
    /// Makes the preview of one picture that the session decoded.
    ///
    /// - Parameter deliver: takes the frame.
    /// - Returns: false if no picture waits for that, or memory is short.
    func makeOffered(_ deliver: (Int, PreviewOutcome) -> Void) -> Bool
    /// Closes its decoder, whose memory is wanted or which has nothing to do. What was begun is left.
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
    private var pass: FramePass?

    /// - Parameters:
    ///   - coder: with the allocator of the reduced pictures.
    ///   - budget: the member of a budget that the decoder's memory is set aside for.
    ///   - decoders: counts the decoder, where decoders are shared.
    ///   - nextOffered: returns a decoded picture that has no preview yet.
    init(
        _ asset: VideoAsset, _ coder: PreviewCoder, budget: BudgetMember, decoders: (any SpareDecoders)?,
        nextOffered: @escaping @Sendable () -> (frame: Int, image: SharedFrame)?
    ) {
        (self.coder, self.nextOffered, file) = (coder, nextOffered, asset.file)
        var options = FrameEngine.Options()
        (options.decoderLimit, options.threadCount, options.cacheByteLimit) = (1, 1, 0)
        // A picture that is not clean has no preview: nothing is examined again for it.
        options.hasSecondOpinions = false
        engine = FrameEngine(asset.seekPlanner(), options: options, budget: budget)
        work = SpareWork(
            budget, pieceByteCount: PreviewTrack.workingByteCount(asset.index), decoders: decoders)
    }

    var canMakePasses: Bool { !file.isRemote || file.hasAtHand(0..<Int64(file.byteCount)) }

    func begin(_ frames: [Int]) -> Bool {
        leave()
        guard work.take(1) else { return false }
        pass = engine.startPass(of: frames)
        return true
    }

    func step(_ deliver: (Int, PreviewOutcome) -> Void) -> PreviewStep {
        guard let pass, !pass.isOver else { return .over }
        do throws(ScrubError) {
            for (frame, answer) in try engine.step(pass) {
                deliver(frame, try outcome(answer.verdict == .exact ? answer.frame : nil))
            }
            return pass.isOver ? .over : .more
        } catch {
            if error.code == .unavailable { return .starved }
            // What cannot be decoded has none; asked for, it says why. What cannot be read may be read another time.
            for frame in pass.missing { deliver(frame, error.code == .inputOutput ? .unread : .unavailable) }
            return .over
        }
    }

    func leave() {
        if let pass { engine.leave(pass) }
        pass = nil
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
        leave()
        engine.closeDecoders()
        work.giveBack()
    }

    var isWantedBack: Bool { work.isWanted }
}
