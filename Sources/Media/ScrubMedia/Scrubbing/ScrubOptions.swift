internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

extension ScrubSession {
    /// Options for a scrubbing session. ``ScrubSession/init(_:options:resources:)`` rejects values that are too small
    /// with `usage`.
    public struct Options: Sendable, Hashable {
        /// The maximum number of decoders that stay open, 1 or more. With the default of 2, the session keeps its place
        /// in both groups of pictures while a finger moves back and forth across their boundary. Memory is guaranteed
        /// only for the first decoder. A second one opens if the budget has room beyond its guarantees to sessions, and
        /// closes when a session needs that room.
        public var decoderLimit = 2
        /// The number of threads that decode at the same time, 1 or more; `nil` for one per processor, and one more for
        /// H.264.
        public var threadCount: Int?
        /// The time without a new picture, while the finger moves, after which the session finishes decoding the
        /// current picture even if the finger has moved on. 0 or more; 30 ms by default.
        public var patience = Duration.milliseconds(30)
        /// Whether to make small compressed pictures of the frames around the playhead while no request is pending
        /// (``ScrubSession/Previews``). They are shown for frames that have no full picture yet
        /// (``ScrubSession/Update/Stage/preview``). The exact picture follows when the finger rests. Making previews
        /// adds a fifth to the cost of each decoded picture. Default true.
        public var makesPreviews = true
        /// The longer side of previews, in samples, 1 or more. `nil`, the default, means 640, or 480 for a video whose
        /// previews would not all fit.
        public var previewSide: Int?
        /// Whether to show and cache only reduced pictures, at ``previewSide`` or else 640 samples. This is for videos
        /// so large that a budget has no room for two of their pictures besides the decoder. Such a session needs two
        /// reduced pictures and, briefly, a full one. Each picture shows the requested frame, at the stage
        /// ``ScrubSession/Update/Stage/preview``, even at rest. No picture is exact, and there is no preview track.
        /// Pictures with a palette cannot be reduced and are shown in full. Default false.
        public var showsOnlyReducedPictures = false
        /// The number of key pictures that are decoded while no request is pending, so that a nearby picture is
        /// available after a jump. They are spread over the whole video and decoded from coarse to fine. Default 48; 0
        /// for none.
        public var keyPictureCount = 48
        /// The longer side of those key pictures, in samples, 1 or more. Default 320.
        public var keyPictureSide = 320

        /// Creates options with default values.
        public init() {}

        /// Returns the minimum number of bytes that a session needs in ``DecodingResources``. It covers the pictures
        /// that a decoder may hold, according to the parameter sets in the container or else the format's limits, and
        /// two pictures held by the caller. With ``showsOnlyReducedPictures``, those two are replaced by two reduced
        /// pictures and the full one from which they are made. Any further bytes are for the cache, key pictures, and
        /// further pictures that callers hold.
        public func minimumByteCount(for asset: VideoAsset) -> Int {
            guarantee(asset.index).byteCount
        }

        /// Returns the bytes guaranteed to a session: for its decoder, a picture on screen, and the next one; with
        /// reduced pictures, also the full one from which the next is made.
        func guarantee(_ index: FrameIndex) -> MemoryGuarantee {
            let picture = index.pictureBufferByteCount
            let reduced = 2 * KeyframeStrip.byteCount(index, count: 1, longSide: usedReducedSide)
            return MemoryGuarantee(
                work: FrameEngine.workingByteCount(index, threadCount: engineSettings(for: index).threadCount),
                loans: sizes(of: index) == .reduced ? picture + reduced : 2 * picture)
        }

        /// The longer side of reduced pictures if only those are shown.
        var usedReducedSide: Int { previewSide ?? 640 }

        /// Returns which pictures a session caches.
        func sizes(of index: FrameIndex) -> SessionPictures.Sizes {
            guard showsOnlyReducedPictures else { return .full }
            let canReduce = index.facts.descriptions.allSatisfy { description in
                // A pixel format that the container does not specify usually has no palette.
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

        /// Returns ``engineSettings`` with the preferred number of threads for a video's codec.
        func engineSettings(for index: FrameIndex) -> FrameEngine.Options {
            var settings = engineSettings
            if threadCount == nil, settings.threadCount > 1, index.gainsFromSpareThread { settings.threadCount += 1 }
            return settings
        }

        func keyPictureByteCount(_ index: FrameIndex) -> Int {
            KeyframeStrip.byteCount(index, count: keyPictureCount, longSide: keyPictureSide)
        }
    }
}
