// Names before 1.0.0. A program that uses one gets the new name as an error: docs/api/renames.md.

public import ScrubBase

extension ScrubGesture.Script {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "startPosition")
    public var begin: String {
        get { fatalError() }
        set { fatalError() }
    }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "init(width:startPosition:isPlaying:events:)")
    public init(width: Rational, begin: String, isPlaying: Bool, events: [Event]) { fatalError() }
}

extension ScrubGesture.Script.Start {
    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "startFraction")
    public var begin: Rational { fatalError() }

    /// This was renamed in 1.0.0.
    @available(*, unavailable, renamed: "init(width:startFraction:isPlaying:seed:)")
    public init(width: Rational = Rational(1000), begin: Rational, isPlaying: Bool = true, seed: UInt64 = 0) {
        fatalError()
    }
}
