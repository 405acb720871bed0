internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

extension ScrubSession {
    /// Options for a scrubbing session. ``ScrubSession/init(_:options:budget:)`` refuses numbers that are too small
    /// with `usage`.
    public struct Options: Sendable, Hashable {
        /// Decoders that stay open at most, 1 or more. Default 2: a finger that goes to and fro over the border of two
        /// groups keeps its place in both. Memory is guaranteed to the first. Another is opened if the budget has room
        /// for it beside all promises to sessions, and closed when one of them needs that.
        public var decoderLimit = 2
        /// Threads that decode at the same time, 1 or more; `nil` for as many as there are processors, and for H.264
        /// one more.
        public var threadCount: Int?
        /// While the finger moves and nothing new was shown for so long, a picture under way is finished even though
        /// the finger has gone on. 0 or more, by default 30 ms.
        public var patience = Duration.milliseconds(30)
        /// Whether small compressed pictures of the frames around the playhead are made while no request waits
        /// (``PreviewTrack``). They answer for frames that have no full picture
        /// (``ScrubSession/Update/Stage/preview``); the exact one comes when the finger rests. Default true. Each
        /// picture that the session decodes costs a fifth more.
        public var makesPreviews = true
        /// The longer side of previews, in samples, 1 or more. `nil`, the default, is 640, or 480 for a film whose
        /// previews would not all have room.
        public var previewSide: Int?
        /// Whether pictures are shown and kept reduced alone, at ``previewSide`` or else 640 samples. For films so
        /// large that a budget has no room for two of their pictures beside the decoder. Such a session needs one for a
        /// moment, and two reduced ones. Each picture is of the frame asked for, at the stage
        /// ``ScrubSession/Update/Stage/preview``, also at rest; none is exact, and there is no preview track. Pictures
        /// with a palette cannot be reduced: of them full ones are shown. Default false.
        public var showsReducedAlone = false
        /// Key pictures over the whole film that are decoded while no request waits, coarse to fine, so that a jump
        /// finds something near. Default 48; 0 for none.
        public var keyPictureCount = 48
        /// The longer side of these key pictures, in samples, 1 or more. Default 320.
        public var keyPictureSide = 320

        /// Makes options.
        public init() {}

        /// Returns the least bytes that a session needs in a ``ScrubBudget``. They are for the pictures that a decoder
        /// may hold for itself, by the parameter sets in the container or else the limits of the format. Added are two
        /// pictures in the caller's hands, or, with ``showsReducedAlone``, two reduced ones and the one that they are
        /// made of. All bytes beyond that are for cache, key pictures, and further pictures that callers hold.
        public func minimumByteCount(for asset: VideoAsset) -> Int {
            guarantee(asset.index).byteCount
        }

        /// Returns the bytes that a session can always have: for its decoder, a picture on screen, and the next one; of
        /// reduced ones, also the full one that the next is made of.
        func guarantee(_ index: FrameIndex) -> MemoryGuarantee {
            let picture = index.pictureBufferByteCount
            let reduced = 2 * KeyPictureStrip.byteCount(index, count: 1, longSide: usedReducedSide)
            return MemoryGuarantee(
                work: FrameEngine.workingByteCount(index, threadCount: engineSettings(for: index).threadCount),
                loans: sizes(of: index) == .reduced ? picture + reduced : 2 * picture)
        }

        /// The longer side of reduced pictures that are shown alone.
        var usedReducedSide: Int { previewSide ?? 640 }

        /// Which pictures a session keeps.
        func sizes(of index: FrameIndex) -> SessionPictures.Sizes {
            guard showsReducedAlone else { return .full }
            let canReduce = index.facts.descriptions.allSatisfy { description in
                // A format that the container does not tell mostly has no palette.
                description.pixelFormat < 0 || FrameReducer.canReduce(PixelFormat(rawValue: description.pixelFormat))
            }
            return canReduce ? .reduced : .full
        }

        var engineSettings: FrameEngine.Options {
            var settings = FrameEngine.Options()
            settings.decoderLimit = decoderLimit
            settings.threadCount = threadCount ?? Processors.count
            (settings.expectsMovement, settings.preparesAtRest) = (true, true)
            return settings
        }

        /// As ``engineSettings``, with the threads that a film's codec wants.
        func engineSettings(for index: FrameIndex) -> FrameEngine.Options {
            var settings = engineSettings
            if threadCount == nil, settings.threadCount > 1, index.gainsFromSpareThread { settings.threadCount += 1 }
            return settings
        }

        func keyPictureByteCount(_ index: FrameIndex) -> Int {
            KeyPictureStrip.byteCount(index, count: keyPictureCount, longSide: keyPictureSide)
        }
    }
}
