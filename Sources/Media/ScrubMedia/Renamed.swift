// Names before 1.0.0. A program that uses one gets the new name as an error: docs/api/renames.md.

/// This was renamed in 1.0.0.
@available(*, unavailable, renamed: "DecodingResources")
public typealias PlaybackResources = DecodingResources

/// This was renamed in 1.0.0.
@available(*, unavailable, message: "use FrameSeries<EncodedFrame>")
public typealias EncodedFrameSeries = FrameSeries<EncodedFrame>

/// This was renamed in 1.0.0.
@available(*, unavailable, message: "use FrameSeries<FrameAnswer>.Element, whose get() returns the answer")
public typealias FrameResult = FrameSeries<FrameAnswer>.Element

/// This was renamed in 1.0.0.
@available(*, unavailable, message: "use FrameSeries<EncodedFrame>.Element, whose get() returns the encoded frame")
public typealias EncodedFrameResult = FrameSeries<EncodedFrame>.Element

extension VideoAsset {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, message: "use presentedFrame(at:), or presentedFrame(nearest:) to clamp")
    public func frame(
        at position: FramePosition, clamps: Bool = false
    ) throws(ScrubError) -> (frame: PresentedFrame, isClamped: Bool) { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "missingMedia")
    public var missing: VideoAsset.MissingMedia? { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "info(includesSeekCost:progress:)")
    public func info(countsCost: Bool) async throws -> VideoInfo { fatalError() }
}

extension FramePicture.Options {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, message: "use appliesGeometry, which has the opposite meaning")
    public var rawGeometry: Bool { fatalError() }
}

extension FrameImage {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, message: "use frame, requestedFrame, requestedTime, actualTime and verdict")
    public var answer: FrameAnswer { fatalError() }
}

extension DecodingResources {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "init(byteLimit:decoderLimit:)")
    public init(byteCount: Int, decoderCount: Int = 4) { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "automatic")
    public static var shared: DecodingResources { fatalError() }
}

extension ScrubSession.Options {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "showsOnlyReducedPictures")
    public var showsReducedAlone: Bool { fatalError() }
}

extension ScrubSession {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "scrub(toFrame:isMoving:)")
    public func scrub(to frame: Int, isMoving: Bool = true) { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "preparePreviews(aroundFrame:)")
    public func preparePreviews(around frame: Int) async throws { fatalError() }

    /// Ends the session, like ``end()``.
    @available(*, deprecated, renamed: "end()")
    public func cancel() { end() }
}

extension GrowingVideo {
    /// A new part of a recording; renamed ``Update`` in 1.0.0.
    @available(*, unavailable, renamed: "Update")
    public typealias Extension = GrowingVideo.Update

    /// Returns the parts of the recording as they arrive; renamed ``updates(interval:patience:)`` in 1.0.0.
    @available(*, unavailable, renamed: "updates(interval:patience:)")
    public func extensions(
        interval: Duration = .milliseconds(200), patience: Duration? = .seconds(30)
    ) -> GrowingVideo.Updates { fatalError() }
}

extension ScrubSession.Counters {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "requestCount")
    public var requests: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "pictureCount")
    public var pictures: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "newPictureCount")
    public var newPictures: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "exactPictureCount")
    public var exactPictures: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "cacheHitCount")
    public var cacheHits: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "cancelledDecodeCount")
    public var cancelled: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "decodedPictureCount")
    public var decodedPictures: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "stallCount")
    public var stalls: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "longestGap")
    public var worstGap: Duration { fatalError() }
}

extension VideoAsset.OpenReport {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "readByteCount")
    public var bytesRead: Int64 { fatalError() }
}

extension VideoAsset.RestartProofSummary {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "provenByHeaderCount")
    public var byHeader: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "provenByComparisonCount")
    public var byComparison: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "refutedCount")
    public var refuted: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "unprovenCount")
    public var unproven: Int { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "unreadCount")
    public var unread: Int { fatalError() }
}

extension VideoAsset.VerificationReport {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "comparedFrameCounts")
    public var comparisons: [VideoAsset.VerificationOrder: Int] { fatalError() }
}

extension VideoAsset.SeekCost {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "meanSkippedCount")
    public var meanSpared: Double { fatalError() }
}

extension VideoInfo {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "startTimecodeText")
    public var startTimecode: String? { fatalError() }
}

extension FrameGenerator {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, message: "use frame(at:tolerance:cancelsPending:) with cancelsPending: true")
    public func latestFrame(
        at position: FramePosition, tolerance: FrameTolerance = .exact
    ) async throws -> FrameAnswer { fatalError() }
}

extension FrameSeries.Element {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "index")
    public var place: Int { fatalError() }
}

extension FramePicture {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "outputSize(options:)")
    public func size(_ options: FramePicture.Options = .init()) throws(ScrubError) -> (width: Int, height: Int) {
        fatalError()
    }
}

extension PixelImage {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "Properties")
    public typealias Facts = PixelImage.Properties

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "properties")
    public var facts: PixelImage.Properties { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "alphaMode")
    public var alpha: AlphaMode { fatalError() }
}
