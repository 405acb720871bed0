#if CommandLine
internal import ArgumentParser

/// The address under which players find a set's sheets, for all commands.
struct BaseURLArgument: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address of the folder that will contain the sheets, which is put before their names in WebVTT and JSON (and needed for storyboard.json). Default: none, only names.",
            valueName: "url"))
    var baseURL: String?
}
#endif
