#if CommandLine
internal import ArgumentParser

/// The choice to hear of errors alone, as all commands take it.
struct QuietArgument: ParsableArguments {
    @Flag(
        name: [.short, .long],
        help: "Leave out bars, notes and warnings on standard error; errors and results stay.")
    var quiet = false

    // Already while the command line is read: what comes after that may warn.
    func validate() { if quiet { Terminal.beQuiet() } }
}
#endif
