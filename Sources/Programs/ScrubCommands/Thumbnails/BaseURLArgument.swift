#if CommandLine
internal import ArgumentParser

/// The address under which players find a set's sheets, as all commands take it.
struct BaseURLArgument: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address of the folder that the sheets will be in, put before their names in WebVTT and JSON (and needed for storyboard.json). Default: none, names alone.",
            valueName: "url"))
    var baseURL: String?
}
#endif
