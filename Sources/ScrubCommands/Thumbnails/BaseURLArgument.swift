internal import ArgumentParser

/// Where players find a set's sheets, as all commands take it.
struct BaseURLArgument: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What stands before the sheets' names in WebVTT and JSON.",
            discussion: """
                Without it they are relative to the index, and there is no storyboard.json: Mux's form names its sheet \
                absolutely (http:// or https://), and is written for sets on one sheet.
                """))
    var baseURL: String?
}
