internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubPictures

/// The facts of a video, for people and programs.
public struct VideoInfo: Sendable {
    /// The container's short name, as libavformat calls it.
    public let container: String
    /// The stream's place in the file.
    public let streamIndex: Int
    /// The codec's short name.
    public let codec: String
    /// Visible columns and rows of the coded picture, before rotation and aspect correction.
    public let width: Int
    /// Visible rows of the coded picture.
    public let height: Int
    /// libav's name of the pixel format.
    public let pixelFormat: String
    /// Whether pictures have transparency: of their own format, or beside them in the file. The latter are VP8 and VP9
    /// in Matroska and WebM, an auxiliary picture of HEIF and AVIF, and a layer of HEVC.
    public let hasAlpha: Bool
    /// The part of the picture that the container wants to be seen, before rotation and aspect correction; `nil` for
    /// all of it. Pictures for people are cropped to it, hashes and raw geometry are not.
    public let cleanAperture: VideoInfo.Area?
    /// The width of a sample for its height, `nil` if the file doesn't give it.
    public let sampleAspectRatio: Rational?
    /// Seconds in a time unit.
    public let timeBase: Rational
    /// The number of presented frames.
    public let frameCount: Int
    /// From the first frame's start to the last frame's end, in time units.
    public let duration: Int64
    /// The container's presentation time of the first frame, in time units.
    public let startTime: Int64
    /// Presented frames that the container calls keyframes.
    public let keyframeCount: Int
    /// Degrees by which the stored picture is turned clockwise to be upright: 0, 90, 180 or 270.
    public let rotation: Int
    /// Whether the stored picture is mirrored left to right, before it is turned.
    public let isMirrored: Bool
    /// The proofs of the places from which decoding may begin.
    public let restarts: VideoAsset.RestartProofSummary
    /// The cost of exact frames: ``VideoAsset/estimatedSeekCost()``.
    public let seekCost: VideoAsset.SeekCost
    /// Bytes of the file.
    public let byteCount: Int64
    /// Bits a second of the whole file; `nil` for a video of no duration.
    public let bitRate: Int64?
    /// Bits a second of the video stream's pictures; `nil` for a video of no duration.
    public let videoBitRate: Int64?
    /// Frames a second, on average; `nil` for a video of no duration.
    public let averageFrameRate: Rational?
    /// Frames a second if they come evenly, to the container's unit of time, and their times allow no other rate that
    /// people use. It is 24000/1001 for a film in Matroska, whose times are milliseconds. `nil` elsewhere.
    public let frameRate: Rational?
    /// Whether pictures consist of two fields from different moments, by the headers or the first picture; `nil` if
    /// unknown.
    public let isInterlaced: Bool?
    /// The meaning of the numbers as color.
    public let color: VideoInfo.Color
    /// The video's facts about its high dynamic range; `nil` if it has none.
    public let hdr: VideoInfo.HDR?
    /// All streams of the file, this one too, in the file's order.
    public let streams: [VideoInfo.Stream]
    /// The file's chapters in its order.
    public let chapters: [VideoInfo.Chapter]
    /// The file's tags by their keys: `title`, `encoder`, `creation_time` … Of equal keys the first.
    public let tags: [String: String]
    /// The file's own timecode of the first frame, as it is in its `timecode` tag: `01:00:03:12`, with a semicolon
    /// before the frames for drop-frame.
    public let startTimecode: String?
    /// Remarks for people.
    public let warnings: [Wording]
}

extension VideoInfo {
    /// A part of a picture, in pixels.
    public struct Area: Sendable, Hashable {
        /// Columns to the left of it.
        public let left: Int
        /// Rows above it.
        public let top: Int
        /// Columns of it.
        public let width: Int
        /// Rows of it.
        public let height: Int
    }
}

extension VideoAsset {
    /// Returns the facts of the video, and of the rest of its file.
    ///
    /// Reads the container's header and, if that does not tell the storage of pixels, decodes the first frame; the
    /// facts are saved with the index. ``VideoInfo/seekCost`` reads some pictures' headers.
    ///
    /// - Parameters:
    ///   - countsCost: whether the cost of all frames is counted, as ``seekCost(progress:)`` does.
    ///   - progress: told how far the counting is, from 0 to 1, on the thread that counts.
    /// - Throws: ``ScrubError`` with `inputOutput` when reading fails; `CancellationError` when the task was cancelled.
    public func info(
        countsCost: Bool = false, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> VideoInfo {
        try await BlockingWork.run(countsCost ? .long : .brief) {
            try self.info(countsCost: countsCost, progress: progress)
        }
    }

    /// As the asynchronous one, on the calling thread.
    package func info(
        countsCost: Bool = false, progress: ((Double) -> Void)? = nil
    ) throws(ScrubError) -> VideoInfo {
        let failures = file.failureCount
        let stream = index.facts
        let description = stream.descriptions[0]
        let ((facts, problem), cost) = try factsAndCost(counts: countsCost, progress)
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
            frameCount: index.frameCount, duration: index.duration, startTime: index.presentationTime(ofFrame: 0),
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
            startTimecode: startTimecode(facts.container),
            warnings: omissions
                + (stream.warnings + [problem, description.dolbyVisionWarning].compactMap { $0 }).map { Wording($0) })
    }

    /// Returns the facts of the file and the cost of frames. Those of a file that is near are found out side by side,
    /// when neither is saved.
    private func factsAndCost(
        counts: Bool, _ progress: ((Double) -> Void)?
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

    /// Presented frames that the container calls keyframes.
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

    /// Bits a second of bytes that last as long as the video.
    private func bitRate(_ bytes: Int64) -> Int64? {
        let seconds = duration.approximation
        guard seconds > 0 else { return nil }
        return Int64(exactly: (Double(bytes) * 8 / seconds).rounded())
    }

    private func startTimecode(_ container: ContainerDescription) -> String? {
        let tagged = container.streams.first { $0.index == index.facts.streamIndex }?.tag("timecode")
        return tagged ?? container.tags.first { $0.key.lowercased() == "timecode" }?.value
            ?? container.streams.compactMap { $0.tag("timecode") }.first
    }
}
