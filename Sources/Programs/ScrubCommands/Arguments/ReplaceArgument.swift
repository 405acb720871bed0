#if CommandLine
internal import ArgumentParser

/// The choice for files that have an output's name, and that no earlier run wrote.
struct ReplaceArgument: ParsableArguments {
    @Flag(help: "Replace files that no earlier run wrote. A file that is read never is.")
    var replace = false
}
#endif
