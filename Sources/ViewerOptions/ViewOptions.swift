public import ArgumentParser

/// What can be said to the viewer.
public struct ViewOptions: ParsableArguments, Sendable {
    @Option(help: "The port to listen on; 0 chooses a free one.")
    public var port = 0

    public init() {}
}
