public import ScrubBase
public import ScrubMedia

// Names before 1.0, which the compiler answers with the new ones.

extension HLSVideo {
    /// The former name of ``HLSVideo/Frame``.
    @available(*, unavailable, renamed: "HLSVideo.Frame")
    public typealias Answer = HLSVideo.Frame
}

extension HLSVideo.Options {
    /// The stream, now a member of ``openOptions``.
    @available(*, unavailable, renamed: "openOptions.stream")
    public var stream: Int? {
        get { fatalError() }
        set { fatalError() }
    }

    /// The cache, now a member of ``openOptions``.
    @available(*, unavailable, renamed: "openOptions.cache")
    public var cache: VideoAsset.IndexCache {
        get { fatalError() }
        set { fatalError() }
    }

    /// The limits, now a member of ``openOptions``.
    @available(*, unavailable, renamed: "openOptions.limits")
    public var limits: MediaLimits {
        get { fatalError() }
        set { fatalError() }
    }

    /// The limit on a picture, now a member of ``openOptions``.
    @available(*, unavailable, renamed: "openOptions.limits.maximumPictureByteCount")
    public var pictureByteLimit: Int {
        get { fatalError() }
        set { fatalError() }
    }
}
