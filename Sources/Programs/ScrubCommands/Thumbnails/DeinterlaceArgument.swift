#if CommandLine
internal import ArgumentParser

/// Whether interlaced pictures show one moment, with missing rows interpolated along edges.
struct DeinterlaceArgument: ParsableArguments {
    @Flag(help: "Show the first field of interlaced pictures, with the missing rows interpolated along edges.")
    var deinterlace = false
}
#endif
