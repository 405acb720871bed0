// Names before 1.0.0. A program that uses one gets the new name as an error: docs/api/renames.md.

extension NetworkCost {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "requestCount")
    public var requests: Int64 {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "fetchedByteCount")
    public var bytesFetched: Int64 {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "cachedByteCount")
    public var bytesFromCache: Int64 {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "retryCount")
    public var retries: Int64 {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "init(requestCount:fetchedByteCount:cachedByteCount:retryCount:)")
    public init(requests: Int64, bytesFetched: Int64 = 0, bytesFromCache: Int64 = 0, retries: Int64 = 0) {
        fatalError()
    }
}
