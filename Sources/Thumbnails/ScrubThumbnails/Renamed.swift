// Names before 1.0.0. A program that uses one gets the new name as an error: docs/api/renames.md.

extension ThumbnailPlan.Size {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "maximum(width:height:)")
    public static func box(width: Int, height: Int) -> ThumbnailPlan.Size { fatalError() }
}

extension VideoAsset {
    /// Finds posters and reports all candidates, now ``posterReport(options:progress:)``.
    @available(*, unavailable, renamed: "posterReport(options:progress:)")
    public func posters(
        _ options: Poster.Options, progress: @escaping @Sendable (WorkProgress) -> Void = { _ in }
    ) async throws -> Poster.Report { fatalError() }
}

extension ThumbnailPlan {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "approximationNote")
    public var nearness: String? { fatalError() }
}

extension ContactSheet {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "approximationNote")
    public var nearness: String? { fatalError() }
}

extension ThumbnailSets.Options {
    /// The name before 1.0.0.
    @available(*, unavailable, renamed: "skipsUnsupportedProfiles")
    public var leavesOutUnfit: Bool { fatalError() }
}
