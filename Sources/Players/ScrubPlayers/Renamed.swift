// Names before 1.0.0. A program that uses one gets the new name as an error: docs/api/renames.md.

/// The name before 1.0.0.
@available(*, unavailable, renamed: "AccessLog.Snapshot")
public typealias AccessLogSnapshot = AccessLog.Snapshot

extension PlayerControllerManager {
    /// The name before 1.0.0.
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
