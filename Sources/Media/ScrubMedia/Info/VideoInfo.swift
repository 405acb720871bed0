internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

/// Information about a video and its file.
public struct VideoInfo: Sendable {
    /// The container's short name in libavformat.
    public let container: String
    /// The video stream's index in the file.
    public let streamIndex: Int
    /// The codec's short name in libavcodec.
    public let codec: String
    /// The visible width of the coded picture in pixels, before rotation and aspect correction.
    public let width: Int
    /// The visible height of the coded picture in pixels.
    public let height: Int
    /// The pixel format's name in libav.
    public let pixelFormat: String
    /// Whether pictures have transparency, either in their pixel format or stored separately in the file. Alpha is
    /// stored separately for VP8 and VP9 in Matroska and WebM, as an auxiliary picture in HEIF and AVIF, and as a layer
    /// in HEVC.
    public let hasAlpha: Bool
    /// The part of the picture that the container marks for display, before rotation and aspect correction; `nil` for
    /// the whole picture. Pictures for display are cropped to this area. It does not affect ``FramePicture/md5()``, or
    /// pictures for which ``FramePicture/Options/appliesGeometry`` is false.
    public let cleanAperture: VideoInfo.Area?
    /// The ratio of a sample's width to its height; `nil` if the file does not specify it.
    public let sampleAspectRatio: Rational?
    /// The length of the stream's time unit in seconds, such as 1/90000 for MPEG transport streams.
    public let timeBase: Rational
    /// The number of presented frames.
    public let frameCount: Int
    /// The time from the first frame's start to the last frame's end, in units of ``timeBase``.
    package let durationUnits: Int64
    /// The container's presentation time of the first frame, in units of ``timeBase``.
    package let startTimeUnits: Int64
    /// The time from the first frame's start to the last frame's end, in seconds.
    public var duration: Rational { Rational(units: durationUnits, of: timeBase) }
    /// The first frame's presentation time in the container, in seconds.
    public var startTime: Rational { Rational(units: startTimeUnits, of: timeBase) }
    /// The number of presented frames that the container marks as keyframes.
    public let keyframeCount: Int
    /// The clockwise rotation, in degrees, that makes the stored picture upright: 0, 90, 180 or 270.
    public let rotation: Int
    /// Whether the stored picture is mirrored left to right before rotation.
    public let isMirrored: Bool
    /// The number of restarts for each kind of proof.
    public let restarts: VideoAsset.RestartProofSummary
    /// The cost of decoding exact frames. It may be estimated from a sample unless
    /// ``VideoAsset/info(includesSeekCost:progress:)`` was called with `includesSeekCost`.
    public let seekCost: VideoAsset.SeekCost
    /// The size of the file in bytes.
    public let byteCount: Int64
    /// The bit rate of the whole file, in bits per second; `nil` if the video has no duration.
    public let bitRate: Int64?
    /// The bit rate of the video stream's coded pictures, in bits per second; `nil` if the video has no duration.
    public let videoBitRate: Int64?
    /// The average frame rate, in frames per second; `nil` if the video has no duration.
    public let averageFrameRate: Rational?
    /// The constant frame rate, in frames per second; `nil` unless the frames are evenly spaced, to within the
    /// container's time unit, and only one common frame rate fits their times. For example, a Matroska video can have a
    /// rate of 24000/1001 although its times are in whole milliseconds.
    public let frameRate: Rational?
    /// Whether pictures consist of two fields that were captured at different times, according to the headers or the
    /// first picture; `nil` if unknown.
    public let isInterlaced: Bool?
    /// How the video's sample values represent color.
    public let color: VideoInfo.Color
    /// The video's high dynamic range metadata; `nil` if it has none.
    public let hdr: VideoInfo.HDR?
    /// All streams of the file, including this video, in file order.
    public let streams: [VideoInfo.Stream]
    /// The file's chapters, in file order.
    public let chapters: [VideoInfo.Chapter]
    /// The file's tags by key: `title`, `encoder`, `creation_time` … If a key occurs more than once, its first value is
    /// used.
    public let tags: [String: String]
    /// The timecode of the first frame as stored in the file's `timecode` tag: `01:00:03:12`, with a semicolon before
    /// the last field if it is a drop-frame timecode.
    public let startTimecodeText: String?
    /// Human-readable warnings about the video.
    public let warnings: [Wording]
}

extension VideoInfo {
    /// A rectangle in a picture, in pixels.
    public struct Area: Sendable, Hashable {
        /// The number of pixel columns to the left of the rectangle.
        public let left: Int
        /// The number of pixel rows above the rectangle.
        public let top: Int
        /// The width.
        public let width: Int
        /// The height.
        public let height: Int
    }
}

extension VideoAsset {
    /// Returns information about the video and the rest of its file.
    ///
    /// This reads the container's header, and some picture headers for ``VideoInfo/seekCost``. The first frame is
    /// decoded if the container does not specify the pixel format, the mastering display of an HDR video, or whether
    /// pictures consist of fields. The information is saved with the index.
    ///
    /// - Parameters:
    ///   - includesSeekCost: whether to count the cost over all frames instead of estimating it from a sample.
    ///   - progress: receives the progress, counted in ``WorkProgress/Unit/frames``, on the thread that counts the
    ///     cost.
    /// - Throws: ``ScrubError`` with `inputOutput` if reading fails; `CancellationError` if the task was cancelled.
    public func info(
        includesSeekCost: Bool = false, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> VideoInfo {
        try await BlockingWork.run(includesSeekCost ? .long : .brief) {
            try self.info(includesSeekCost: includesSeekCost, progress: progress)
        }
    }

    /// Returns the facts synchronously, on the calling thread. See the asynchronous method.
    package func info(
        includesSeekCost: Bool = false, progress: (WorkProgress) -> Void = { _ in }
    ) throws(ScrubError) -> VideoInfo {
        let failures = file.failureCount
        let stream = index.facts
        let description = stream.descriptions[0]
        let ((facts, problem), cost) = try factsAndCost(counts: includesSeekCost, progress)
        let picture = facts.firstPicture
        let isKnown = !PixelFormat(rawValue: description.pixelFormat).name.isEmpty
        let shape = isKnown ? nil : picture
        let matrix = stream.displayMatrix ?? shape?.displayMatrix
        let orientation = matrix.map { Orientation(displayMatrix: $0) } ?? .upright
        let color = ColorDescription(description).completed(by: picture?.color ?? ColorDescription())
        let pictureBytes = index.pictures.sizes.withSpan { sizes in
            var sum: Int64 = 0
            for picture in sizes.indices { sum += Int64(sizes[picture]) }
            return sum
        }
        try file.checkReads(since: failures)
        return VideoInfo(
            container: stream.container, streamIndex: stream.streamIndex, codec: description.codecName,
            width: shape?.width ?? Int(description.width), height: shape?.height ?? Int(description.height),
            pixelFormat: PixelFormat(rawValue: shape?.pixelFormat ?? description.pixelFormat).name,
            hasAlpha: hasAlpha || PixelFormat(rawValue: shape?.pixelFormat ?? -1).hasAlpha,
            cleanAperture: stream.cleanAperture.map {
                VideoInfo.Area(left: $0.left, top: $0.top, width: $0.width, height: $0.height)
            },
            sampleAspectRatio: stream.sampleAspectRatio ?? shape?.sampleAspectRatio, timeBase: stream.timeBase,
            frameCount: index.frameCount, durationUnits: index.duration,
            startTimeUnits: index.presentationTime(ofFrame: 0),
            keyframeCount: keyframeCount, rotation: orientation.degreesClockwise, isMirrored: orientation.isMirrored,
            restarts: VideoAsset.RestartProofSummary(RestartSummary(counts: cost.restartKinds)),
            seekCost: VideoAsset.SeekCost(cost),
            byteCount: file.byteCount, bitRate: bitRate(file.byteCount), videoBitRate: bitRate(pictureBytes),
            averageFrameRate: Rational(checked: Int64(index.frameCount), 1)?.divided(by: duration),
            frameRate: certainRate,
            isInterlaced: stream.isInterlaced(firstPicture: picture), color: VideoInfo.Color(color),
            hdr: VideoInfo.HDR(color, description, picture),
            streams: facts.container.streams.map { VideoInfo.Stream($0) },
            chapters: facts.container.chapters.compactMap { VideoInfo.Chapter($0) },
            tags: Dictionary(facts.container.tags.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }),
            startTimecodeText: startTimecode(facts.container),
            warnings: omissions
                + (stream.warnings + [problem, description.dolbyVisionWarning].compactMap { $0 }).map { Wording($0) })
    }

    /// Returns the facts of the file and the cost of frames. For a local file, both are determined in parallel if
    /// neither is saved.
    private func factsAndCost(
        counts: Bool, _ progress: (WorkProgress) -> Void
    ) throws(ScrubError) -> (facts: (facts: MediaFacts, problem: String?), cost: CostSummary) {
        let beside = Locked<Result<(facts: MediaFacts, problem: String?), ScrubError>?>(nil)
        var thread: DedicatedThread?
        if file.file != nil, Processors.count > 1, savedFacts == nil {
            thread = try? DedicatedThread {
                let found = Result { () throws(ScrubError) in try self.facts() }
                beside.withLock { $0 = found }
            }
        }
        defer { thread?.join() }
        if thread == nil {
            let facts = try facts()
            return (facts, try counts ? countedCost(progress) : estimatedCost())
        }
        let cost = Result { () throws(ScrubError) in try counts ? countedCost(progress) : estimatedCost() }
        thread?.join()
        thread = nil
        guard let found = beside.withLock({ $0.take() }) else { return (try facts(), try cost.get()) }
        return (try found.get(), try cost.get())
    }

    /// The number of presented frames that the container marks as keyframes.
    private var keyframeCount: Int {
        index.frames.withSpan { frames in
            index.pictures.flags.withSpan { flags in
                var count = 0
                for frame in frames.indices where flags[Int(frames[frame])].contains(.key) { count += 1 }
                return count
            }
        }
    }

    private var certainRate: Rational? {
        guard index.frameCount > 1 else { return nil }
        let found = frameRate
        return found.isCertain ? found.rate : nil
    }

    /// Returns the bit rate, in bits per second, of a number of bytes over the video's duration.
    private func bitRate(_ bytes: Int64) -> Int64? {
        let seconds = duration.doubleValue
        guard seconds > 0 else { return nil }
        return Int64(exactly: (Double(bytes) * 8 / seconds).rounded())
    }

    private func startTimecode(_ container: ContainerDescription) -> String? {
        let tagged = container.streams.first { $0.index == index.facts.streamIndex }?.tag("timecode")
        return tagged ?? container.tags.first { $0.key.lowercased() == "timecode" }?.value
            ?? container.streams.compactMap { $0.tag("timecode") }.first
    }
}
