internal import ScrubBase
internal import ScrubDecoding
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubPictures

/// The outcome of making a frame's preview.
enum PreviewOutcome: Sendable, Equatable {
    case made([UInt8])
    /// The frame has no preview: it is damaged, undecodable, or in an unsupported format.
    case unavailable
    /// The frame could not be read, and may be retried later.
    case unread
}

/// The state after a step of a pass.
enum PreviewStep: Sendable {
    case more
    /// The pass is complete.
    case over
    /// There was no memory for decoding.
    case starved
}

/// A source of preview bytes. Tests use a fake in place of the decoder.
///
/// Used from one thread at a time.
protocol PreviewSource: AnyObject {
    /// Whether frames may be decoded only for their previews, because all bytes are available and nothing has to be
    /// fetched.
    var canMakePasses: Bool { get }
    /// Begins to make previews of adjacent frames.
    ///
    /// - Returns: false if there is no memory for decoding.
    func begin(_ frames: [Int]) -> Bool
    /// Decodes about one packet of the current pass.
    ///
    /// - Parameter deliver: receives the resulting frames.
    func step(_ deliver: (Int, PreviewOutcome) -> Void) -> PreviewStep
    /// Abandons the current pass. The decoder keeps its position.
    func leave()
    /// Makes the preview of one picture that the session decoded.
    ///
    /// - Parameter deliver: receives the frame.
    /// - Returns: false if no picture is waiting, or if memory is short.
    func makeOffered(_ deliver: (Int, PreviewOutcome) -> Void) -> Bool
    /// Closes the decoder, because others need its memory or there is no work. The current pass is abandoned.
    func rest()
    /// Whether others need its decoder's memory.
    var isWantedBack: Bool { get }
}

/// A source that makes previews with its own decoder, on one thread.
final class EnginePreviewSource: PreviewSource {
    private let engine: FrameEngine
    private let file: MediaSource
    /// Returns a decoded picture that has no preview yet.
    private let nextOffered: @Sendable () -> (frame: Int, image: SharedFrame)?
    private let coder: PreviewCoder
    /// The decoder's memory while it is open.
    private let work: AdditionalWorkMemory
    private var pass: FramePass?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - coder: the coder, with the allocator of the reduced pictures.
    ///   - budget: the member of a budget that reserves the decoder's memory.
    ///   - decoders: counts the decoder, if decoders are shared.
    ///   - nextOffered: returns a decoded picture that has no preview yet.
    init(
        _ asset: VideoAsset, _ coder: PreviewCoder, budget: BudgetMember, decoders: (any AdditionalDecoders)?,
        nextOffered: @escaping @Sendable () -> (frame: Int, image: SharedFrame)?
    ) {
        (self.coder, self.nextOffered, file) = (coder, nextOffered, asset.file)
        var options = FrameEngine.Options()
        (options.decoderLimit, options.threadCount, options.cacheByteLimit) = (1, 1, 0)
        // A picture that is not clean gets no preview. It is not examined again for this purpose.
        options.hasSecondOpinions = false
        engine = FrameEngine(asset.seekPlanner(), options: options, budget: budget)
        work = AdditionalWorkMemory(
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
            // A frame that cannot be decoded has no preview; a request for it reports the reason. A frame that cannot
            // be read may be readable later.
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
