// Names before 1.0.0. A program that uses one gets the new name as an error: docs/api/renames.md.

/// The name before 1.0.0.
@available(*, unavailable, renamed: "DecodingResources")
public typealias PlaybackResources = DecodingResources

/// The name before 1.0.0.
@available(*, unavailable, message: "use FrameSeries<EncodedFrame>")
public typealias EncodedFrameSeries = FrameSeries<EncodedFrame>

/// The name before 1.0.0.
@available(*, unavailable, message: "use FrameSeries<FrameAnswer>.Element, whose get() returns the answer")
public typealias FrameResult = FrameSeries<FrameAnswer>.Element

/// The name before 1.0.0.
@available(*, unavailable, message: "use FrameSeries<EncodedFrame>.Element, whose get() returns the encoded frame")
public typealias EncodedFrameResult = FrameSeries<EncodedFrame>.Element

extension VideoAsset {
    /// The name before 1.0.0.
    @available(*, unavailable, message: "use presentedFrame(at:), or presentedFrame(nearest:) to clamp")
    public func frame(
        at position: FramePosition, clamps: Bool = false
    ) throws(ScrubError) -> (frame: PresentedFrame, isClamped: Bool) { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "missingMedia")
    public var missing: VideoAsset.MissingMedia? { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "info(includesSeekCost:progress:)")
    public func info(countsCost: Bool) async throws -> VideoInfo { fatalError() }
}

extension FramePicture.Options {
    /// The name before 1.0.0.
    @available(*, unavailable, message: "use appliesGeometry, which has the opposite meaning")
    public var rawGeometry: Bool { fatalError() }
}

extension FrameImage {
    /// The name before 1.0.0.
    @available(*, unavailable, message: "use frame, requestedFrame, requestedTime, actualTime and verdict")
    public var answer: FrameAnswer { fatalError() }
}

extension DecodingResources {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "init(byteLimit:decoderLimit:)")
    public init(byteCount: Int, decoderCount: Int = 4) { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "automatic")
    public static var shared: DecodingResources { fatalError() }
}

extension ScrubSession.Options {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "showsOnlyReducedPictures")
    public var showsReducedAlone: Bool { fatalError() }
}

extension ScrubSession {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "scrub(toFrame:isMoving:)")
    public func scrub(to frame: Int, isMoving: Bool = true) { fatalError() }

    /// Ends the session, like ``end()``.
    @available(*, deprecated, renamed: "end()")
    public func cancel() { end() }
}

extension GrowingVideo {
    /// A new part of a recording, now ``Update``.
    @available(*, unavailable, renamed: "Update")
    public typealias Extension = GrowingVideo.Update

    /// Returns the parts of the recording as they arrive, now ``updates(interval:patience:)``.
    @available(*, unavailable, renamed: "updates(interval:patience:)")
    public func extensions(
        interval: Duration = .milliseconds(200), patience: Duration? = .seconds(30)
    ) -> GrowingVideo.Updates { fatalError() }
}
