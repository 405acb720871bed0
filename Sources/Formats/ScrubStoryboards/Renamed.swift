// Names before version 1.0.0. If a program uses one, the compiler's error states the new name: docs/api/renames.md.

public import ScrubBase

extension Storyboard {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "otherFiles")
    public var companions: [String] { fatalError() }

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "sourceIdentifier")
    public var origin: String? { fatalError() }
}

extension Storyboard.Thumbnail {
    /// The name before version 1.0.0.
    @available(*, unavailable, message: "the arguments requested: and frame: are requestedTime: and frameNumber: now")
    public init(
        index: Int, start: Rational, requested: Rational, time: Rational, frame: Int, verdict: String, sheet: Int,
        x: Int, y: Int, width: Int, height: Int, isRepeat: Bool = false, blurHash: String? = nil,
        thumbHash: String? = nil
    ) { fatalError() }

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "requestedTime")
    public var requested: Rational { fatalError() }

    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "frameNumber")
    public var frame: Int { fatalError() }
}

extension Storyboard.SheetOptions {
    /// The name before version 1.0.0.
    @available(*, unavailable, renamed: "makesPlaceholderHashes")
    public var makesBlurHashes: Bool { fatalError() }
}
