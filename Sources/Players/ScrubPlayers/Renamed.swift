// Names from before 1.0.0. If a program uses one, the compiler's error message states the new name
// (docs/api/renames.md).

public import ScrubMedia
public import ScrubPlayersLogic

/// The name before 1.0.0.
@available(*, unavailable, renamed: "AccessLog.Snapshot")
public typealias AccessLogSnapshot = AccessLog.Snapshot

extension PlayerControllerManager {
    /// The initializer before 1.0.0.
    @available(
        *, unavailable, message: "use PlayerControllerManager(resources: DecodingResources(byteLimit:decoderLimit:))"
    )
    public convenience init(
        byteLimit: Int, decoderLimit: Int = 4, controllerLimit: Int = 32, options: Player.Options = .init(),
        timebase: Timebase = .realTime
    ) { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "resources.byteLimit")
    public var byteLimit: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "resources.decoderLimit")
    public var decoderLimit: Int { fatalError() }
}

/// The name before 1.0.0.
@available(*, unavailable, renamed: "MemoryPressureMonitor")
public typealias MemoryPressure = MemoryPressureMonitor

/// The name before 1.0.0.
@available(*, unavailable, renamed: "PlaylistAdvanceReason")
public typealias PlaylistAdvance = PlaylistAdvanceReason

/// The name before 1.0.0.
@available(*, unavailable, renamed: "InterruptionSkipPolicy")
public typealias InterruptionSkip = InterruptionSkipPolicy

extension Player {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "attach(_:)")
    public func claim(_ presenter: Presenter) { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "currentFrameNumber")
    public var currentFrame: Int? { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "landedSeekNumber")
    public var landedSeek: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "storyAction(forTapAt:width:using:)")
    public func storyAction(
        forTapAt x: Double, width: Double, _ navigator: StoryNavigator
    ) -> StoryNavigator.Action? { fatalError() }
}

extension PlayerController {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "attach(_:)")
    public func claim(_ presenter: Presenter) { fatalError() }
}

extension ProgressTracker.Source {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "startSeek(to:)")
    public func beginSeek(to time: Rational) -> Int { fatalError() }
}

extension PlayerControllerManager {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "existingController(for:)")
    public func existing(_ identifier: PlayerMedia.Identifier) -> PlayerController? { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "removeController(for:)")
    public func clear(_ identifier: PlayerMedia.Identifier) { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "removeAllControllers()")
    public func clearAll() { fatalError() }
}

extension PlayerGroup.LatePolicy {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "othersContinue")
    public static var goesOn: PlayerGroup.LatePolicy { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "allWait")
    public static var waitsForAll: PlayerGroup.LatePolicy { fatalError() }
}

extension PlayerItem {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "playCount")
    public var repeatCount: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "init(_:playCount:start:metadata:trackers:)")
    public init(
        _ media: PlayerMedia, repeatCount: Int, start: FramePosition? = nil, metadata: ItemMetadata? = nil,
        trackers: [PlayerItemTracker] = []
    ) { fatalError() }
}

extension Player.Counters {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "presentedCount")
    public var presented: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "previewCount")
    public var previews: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "unseenCount")
    public var unseen: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "stallCount")
    public var stalls: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "coalescedSeekCount")
    public var coalescedSeeks: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "maximumLateness")
    public var worstLateness: Int64 { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "maximumTransitionTime")
    public var worstTransition: Int64 { fatalError() }
}

extension Player.DroppedFrames {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "lateCount")
    public var late: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "skippedBeforeDecodingCount")
    public var skippedBeforeDecoding: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "jumpedCount")
    public var jumped: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "totalCount")
    public var total: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "init(lateCount:skippedBeforeDecodingCount:jumpedCount:)")
    public init(late: Int, skippedBeforeDecoding: Int = 0, jumped: Int = 0) { fatalError() }
}

extension PresenterCounters {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "presentedCount")
    public var presented: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "heldCount")
    public var held: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "placeholderCount")
    public var placeholders: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "attachCount")
    public var claims: Int { fatalError() }
}

extension AccessLog.Counters {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "seekCount")
    public var seeks: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "cacheHitCount")
    public var cacheHits: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "supersededSeekCount")
    public var supersededSeeks: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "maximumSeekLatency")
    public var worstSeekNanoseconds: Int64 { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "stallCount")
    public var stalls: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "stalledDuration")
    public var stalledNanoseconds: Int64 { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "presentedFrameCount")
    public var presentedFrames: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "lateFrameCount")
    public var lateFrames: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "skippedFrameCount")
    public var skippedFrames: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "jumpedFrameCount")
    public var jumpedFrames: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "decodedPictureCount")
    public var decodedPictures: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "redecodedPictureCount")
    public var redecodedPictures: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "decoderAttachmentCount")
    public var decoderAttachments: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "decoderDetachmentCount")
    public var decoderDetachments: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "readByteCount")
    public var bytesRead: Int64 { fatalError() }
}

extension AccessLog.Snapshot {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "droppedEntryCount")
    public var droppedEntries: Int { fatalError() }
}

extension AccessLog.Entry.DetachReason {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "turnEnded")
    public static var turnOver: AccessLog.Entry.DetachReason { fatalError() }
}

extension AccessLog.Entry.Seek {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "latency")
    public var latencyNanoseconds: Int64 { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "decodedPictureCount")
    public var decodedPictures: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "redecodedPictureCount")
    public var redecodedPictures: Int { fatalError() }
}

extension AccessLog.Entry.Stall {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "duration")
    public var nanoseconds: Int64 { fatalError() }
}

extension Playlist {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "startCount(of:)")
    public func timesShown(of id: Item.ID) -> Int? { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "currentRepetition")
    public var currentPass: Int { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "nextTransition(for:direction:)")
    public func upcoming(
        _ reason: PlaylistAdvanceReason = .automatic, _ direction: PlaybackDirection = .forward
    ) -> Transition? { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "advance(_:direction:)")
    public mutating func advance(_ reason: PlaylistAdvanceReason, _ direction: PlaybackDirection) -> Transition? {
        fatalError()
    }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "markCurrentFailed(policy:direction:)")
    public mutating func failCurrent(
        _ policy: FailurePolicy = .advance, _ direction: PlaybackDirection = .forward
    ) -> Transition? { fatalError() }
}

extension StoryNavigator {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "backFraction")
    public var backShare: Rational { fatalError() }

    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "init(backFraction:isRightToLeft:)")
    public init(backShare: Rational, isRightToLeft: Bool = false) {
        self.init(backFraction: backShare, isRightToLeft: isRightToLeft)
    }
}

extension FrameSink {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "receive(_:)")
    public func take(_ frame: PlayerFrame) throws { fatalError() }
}

extension SinkOutput {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "waitUntilFinished()")
    public func finished() async throws { fatalError() }
}

extension ItemTrackerHost {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "isActive")
    public var isSwitchedOn: Bool { fatalError() }
}
