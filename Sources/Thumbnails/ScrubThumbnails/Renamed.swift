// Names before version 1.0.0. If a program uses one, the compiler's error states the new name: docs/api/renames.md.

extension ThumbnailPlan.Size {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "maximum(width:height:)")
    public static func box(width: Int, height: Int) -> ThumbnailPlan.Size { fatalError() }
}

extension VideoAsset {
    /// The name of ``posterReport(options:progress:)`` before version 1.0.0.
    @available(*, unavailable, renamed: "posterReport(options:progress:)")
    public func posters(
        _ options: Poster.Options, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> Poster.Report { fatalError() }
}

extension ThumbnailPlan {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "approximationNote")
    public var nearness: String? { fatalError() }
}

extension ContactSheet {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "approximationNote")
    public var nearness: String? { fatalError() }
}

extension ThumbnailSets.Options {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "skipsUnsupportedProfiles")
    public var leavesOutUnfit: Bool { fatalError() }
}

extension ThumbnailPlan.Request {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "Positions")
    public typealias Places = ThumbnailPlan.Request.Positions

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "positions")
    public var places: ThumbnailPlan.Request.Positions { fatalError() }
}

extension ThumbnailPlan.Request.Positions {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "scenes(_:)")
    public static func sceneChanges(_ scenes: [VideoScene]) -> ThumbnailPlan.Request.Positions { fatalError() }
}

extension ThumbnailPlan.Slot {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "requestedTime")
    public var requested: Rational { fatalError() }

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "requestedFrameNumber")
    public var requestedFrame: Int { fatalError() }

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "frameNumber")
    public var frame: Int { fatalError() }
}

extension ThumbnailPlan {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "slotIndices")
    public var slotOfPosition: [Int] { fatalError() }

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "maximumDistance")
    public var farthest: Rational { fatalError() }
}

extension ThumbnailPlan.Options {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "computesMD5")
    public var makesHashes: Bool { fatalError() }
}

extension ThumbnailStrip {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "isUpToDate")
    public var isCurrent: Bool { fatalError() }
}

extension ThumbnailSets.Entry {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "isUpToDate")
    public var isCurrent: Bool { fatalError() }
}

extension ThumbnailSets.Options {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "skipsUpToDateSets")
    public var skipsCurrent: Bool { fatalError() }
}

extension ThumbnailSets.KeyframeMovie {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "codec")
    public var codecs: String { fatalError() }
}

extension ThumbnailSets.KeyframeMovie.Entry {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "frameNumber")
    public var frame: Int { fatalError() }
}

extension ThumbnailSets.Conversion {
    /// The name before version 1.0.0.
    @available(
        *, unavailable,
        renamed: "ThumbnailSets.convert(_:to:into:baseURL:quality:waitsForOtherRuns:replacesFiles:)"
    )
    public static func convert(
        _ source: String, to format: ThumbnailSets.Conversion.Format, into folder: String, baseURL: String? = nil,
        quality: Int? = nil, waitsForOtherRuns: Bool = false, replacesFiles: Bool = false
    ) async throws -> ThumbnailSets.Conversion.Report { fatalError() }
}

extension Poster.Options {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "timeRange")
    public var span: Range<Rational>? { fatalError() }
}

extension VideoScene {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "init(start:end:frameNumber:strength:)")
    public init(start: Rational, end: Rational, frame: Int, strength: Double) { fatalError() }

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "frameNumber")
    public var frame: Int { fatalError() }
}

extension VideoScene.Options {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "maximumSceneCount")
    public var limit: Int? { fatalError() }

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "minimumDuration")
    public var minimumLength: Rational { fatalError() }
}

extension CoverArt {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "load(from:)")
    public static func all(in path: String) async throws -> [CoverArt] { fatalError() }
}

extension FreedesktopCache {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "writeThumbnails(ofCoverIn:into:)")
    public static func writeCover(of path: String, into root: String) async throws -> [Int]? { fatalError() }
}
