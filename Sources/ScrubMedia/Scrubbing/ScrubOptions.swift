internal import ScrubDecoding
internal import ScrubIndex

/// How a scrubbing session works.
public struct ScrubOptions: Sendable, Hashable {
    /// Decoders that stay open. Default 1: a gesture has one finger.
    public var decoderLimit = 1
    /// Threads that decode at the same time; nothing for as many as there are processors.
    public var threadCount: Int?
    /// While the finger moves and nothing new was shown for so long, a picture under way is finished even though the
    /// finger has gone on. Default 30 ms.
    public var patience = Duration.milliseconds(30)
    /// The longer side, in samples, of reduced pictures that are kept beside the full ones, so that whole groups of
    /// pictures fit. While the finger moves they answer for the frames that have no full picture
    /// (``ScrubUpdate/Stage/reduced``); the exact one comes when it rests. Nothing, the default, keeps none: making them
    /// costs a tenth of the decoding.
    public var reducedSide: Int?
    /// Key pictures over the whole film that are decoded while nobody waits, coarse to fine, so that a jump finds
    /// something near. Default 48; 0 for none.
    public var stripCount = 48
    /// The longer side of the strip's pictures, in samples. Default 320.
    public var stripSide = 320

    /// Makes options.
    public init() {}

    /// The least bytes that a session needs in a ``ScrubBudget``: what its decoders may hold for themselves, by the
    /// limits of the formats, and its strip. Everything beyond that is cache.
    public func minimumByteCount(for asset: VideoAsset) -> Int {
        let strip = stripByteCount(asset.index)
        return FrameEngine.workingByteCount(asset.index, engineSettings) + strip.pictures + strip.decoding
    }

    var engineSettings: FrameEngine.Options {
        var settings = FrameEngine.Options()
        settings.decoderLimit = max(1, decoderLimit)
        settings.threadCount = threadCount ?? Processors.count
        (settings.expectsMovement, settings.preparesAtRest) = (true, true)
        return settings
    }

    func stripByteCount(_ index: FrameIndex) -> (pictures: Int, decoding: Int) {
        FrameEngine.stripByteCount(index, count: stripCount, longSide: stripSide)
    }
}
