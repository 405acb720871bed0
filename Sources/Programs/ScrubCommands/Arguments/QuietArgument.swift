#if CommandLine
internal import ArgumentParser

/// The option to print only errors. All commands have it.
struct QuietArgument: ParsableArguments {
    @Flag(
        name: [.short, .long],
        help: "Do not print progress bars, notes or warnings on standard error. Errors and results are still printed.")
    var quiet = false

    // Takes effect while the command line is parsed, because later steps may print warnings.
    func validate() { if quiet { Terminal.beQuiet() } }
}
#endif
