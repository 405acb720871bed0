// Names before 1.0.0. A program that uses one gets the new name as an error: docs/api/renames.md.

extension MediaLimits {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumStreamCount")
    public var streamCount: Int {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumPictureCount")
    public var pictureCount: Int {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumTableByteCount")
    public var tableByteCount: Int {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumPixelCount")
    public var pixelCount: Int {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumPictureByteCount")
    public var pictureByteCount: Int {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumDecoderByteCount")
    public var decoderByteCount: Int {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumCodedPictureByteCount")
    public var codedPictureByteCount: Int {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumPictureTime")
    public var pictureTime: Duration {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumRequestTime")
    public var requestTime: Duration {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumOutputByteCount")
    public var outputByteCount: Int {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "maximumOpenFileCount")
    public var openFileCount: Int {
        get { fatalError() }
        set { fatalError() }
    }
}

extension Rational {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "doubleValue")
    public var approximation: Double { fatalError() }
}

extension Timecode.Rate {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "supportsDropFrame")
    public var hasDropFrame: Bool { fatalError() }
}

extension Cancellation {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "withCancellationHandler(onCancel:operation:)")
    public func waking<Result>(
        _ wake: @escaping @Sendable () -> Void, _ body: () throws -> Result
    ) rethrows -> Result { fatalError() }
}
