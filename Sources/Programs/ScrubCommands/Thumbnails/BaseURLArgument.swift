#if CommandLine
internal import ArgumentParser

/// The address under which players find a set's sheets, for all commands.
struct BaseURLArgument: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The URL of the folder that will contain the sheets. It is put before the sheets' names in WebVTT and JSON, and is required for storyboard.json. Default: no URL, only the names.",
            valueName: "url"))
    var baseURL: String?
}
#endif
