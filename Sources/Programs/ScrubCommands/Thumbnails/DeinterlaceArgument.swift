#if CommandLine
internal import ArgumentParser

/// Whether interlaced pictures are shown as one moment, with rows that follow edges.
struct DeinterlaceArgument: ParsableArguments {
    @Flag(help: "Show the first field of interlaced pictures, with rows between its own that follow edges.")
    var deinterlace = false
}
#endif
