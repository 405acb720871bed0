#if CommandLine
internal import ArgumentParser

/// The option to replace files with an output's name that no earlier run wrote.
struct ReplaceArgument: ParsableArguments {
    @Flag(
        help:
            "Replace existing files even if no earlier run of scrub wrote them. A file that is being read is never replaced."
    )
    var replace = false
}
#endif
