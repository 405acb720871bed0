internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex

extension ScrubSession {
    /// Options for a scrubbing session. If a value is too small, ``ScrubSession/init(_:options:resources:)`` throws
    /// `usage`.
    public struct Options: Sendable, Hashable {
        /// The maximum number of decoders that stay open, 1 or more. With the default of 2, the session keeps one
        /// decoder in each of two neighboring groups of pictures while a finger moves back and forth across their
        /// boundary. Memory is guaranteed only for the first decoder. A second decoder is opened if the budget has
        /// enough memory beyond its guarantees, and closed when that memory is needed for a guarantee.
        public var decoderLimit = 2
        /// The number of threads that decode at the same time, 1 or more; `nil` for one per processor, plus one for
        /// H.264 if there are several processors.
        public var threadCount: Int?
        /// How long the session may go without showing a new picture while the finger moves. After this time, it
        /// finishes decoding the current picture even if the finger has moved on. 0 or more. Default 30 ms.
        public var patience = Duration.milliseconds(30)
        /// Whether to make small compressed pictures of the frames around the playhead while no request is pending
        /// (``ScrubSession/Previews``). They are shown for frames that have no full picture yet
        /// (``ScrubSession/Update/Stage/preview``). The exact picture follows when the finger rests. Making previews
        /// adds a fifth to the cost of each decoded picture. Default true.
        public var makesPreviews = true
        /// The longer side of previews, in samples, 1 or more. `nil`, the default, means 640, or 480 for a video whose
        /// previews would not all fit.
        public var previewSide: Int?
        /// Whether to show and cache only reduced pictures, whose longer side is ``previewSide`` or, if that is `nil`,
        /// 640 samples. Use this for videos so large that the budget does not have enough memory for two of their
        /// pictures in addition to those that a decoder holds. Such a session needs memory for two reduced pictures
        /// and, briefly, for a full one. Each picture shows the requested frame at the stage
        /// ``ScrubSession/Update/Stage/preview``, even when the finger rests. No picture is exact, and there is no
        /// preview track. Pictures with a palette cannot be reduced and are shown at full size. Default false.
        public var showsOnlyReducedPictures = false
        /// The number of key pictures that are decoded while no request is pending, so that a nearby picture is
        /// available after a jump. They are spread over the whole video, and decoded in coarse-to-fine order. Default
        /// 48; 0 for none.
        public var keyPictureCount = 48
        /// The longer side of those key pictures, in samples, 1 or more. Default 320.
        public var keyPictureSide = 320

        /// Creates options with the default values.
        public init() {}

        /// Returns the minimum number of bytes that a session needs in ``DecodingResources``. It covers the pictures
        /// that a decoder may hold and two pictures held by the caller. The parameter sets in the container or, if
        /// there are none, the format's limits determine how many pictures a decoder may hold. With
        /// ``showsOnlyReducedPictures``, the minimum covers two reduced pictures and the full picture from which they
        /// are made, instead of the caller's two pictures. Any additional memory is used for the cache, key pictures,
        /// and more pictures held by callers.
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
