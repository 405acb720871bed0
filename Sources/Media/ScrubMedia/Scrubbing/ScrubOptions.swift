internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

extension ScrubSession {
    /// Options for a scrubbing session. ``ScrubSession/init(_:options:budget:)`` refuses numbers that are too small
    /// with `usage`.
    public struct Options: Sendable, Hashable {
        /// Decoders that stay open at most, 1 or more. Default 2: a finger that goes to and fro over the border of two
        /// groups keeps its place in both. Memory is promised to the first. Another is opened if the budget has room
        /// for it beside all promises to sessions, and closed when one of them needs that.
        public var decoderLimit = 2
        /// Threads that decode at the same time, 1 or more; `nil` for as many as there are processors.
        public var threadCount: Int?
        /// While the finger moves and nothing new was shown for so long, a picture under way is finished even though
        /// the finger has gone on. 0 or more, by default 30 ms.
        public var patience = Duration.milliseconds(30)
        /// The longer side, in samples, 1 or more, of reduced pictures that are kept beside the full ones, so that
        /// whole groups of pictures fit. While the finger moves they answer for the frames that have no full picture
        /// (``ScrubSession/Update/Stage/reduced``); the exact one comes when it rests. `nil`, the default, keeps none:
        /// making them costs a tenth of the decoding.
        public var reducedSide: Int?
        /// Whether pictures are shown and kept reduced alone, at ``reducedSide`` or else 640 samples. For films so
        /// large that a budget has no room for two of their pictures beside the decoder. Such a session needs one for a
        /// moment, and two reduced ones. Each picture is of the frame asked for, at the stage
        /// ``ScrubSession/Update/Stage/reduced``, also at rest; none is exact. Pictures with a palette cannot be
        /// reduced: of them full ones are shown. Default false.
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
            let (sum, overflow) = FrameEngine.workingByteCount(asset.index, threadCount: engineSettings.threadCount)
                .addingReportingOverflow(leastLentByteCount(asset.index))
            return overflow ? .max : sum
        }

        /// Returns a picture on screen, and the next one; of reduced ones, also the full one that the next is made of.
        func leastLentByteCount(_ index: FrameIndex) -> Int {
            guard sizes(of: index) == .reduced, let side = usedReducedSide else {
                return 2 * index.pictureBufferByteCount
            }
            return index.pictureBufferByteCount + 2 * KeyPictureStrip.byteCount(index, count: 1, longSide: side)
        }

        /// The longer side of reduced pictures; `nil` if the session makes none.
        var usedReducedSide: Int? { reducedSide ?? (showsReducedAlone ? 640 : nil) }

        /// Which pictures a session keeps.
        func sizes(of index: FrameIndex) -> SessionPictures.Sizes {
            guard showsReducedAlone else { return reducedSide == nil ? .full : .both }
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

        func keyPictureByteCount(_ index: FrameIndex) -> Int {
            KeyPictureStrip.byteCount(index, count: keyPictureCount, longSide: keyPictureSide)
        }
    }
}
