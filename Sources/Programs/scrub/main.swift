#if CommandLine
import ArgumentParser
import ScrubCommands

ScrubCommand.main()
#else
fatalError("scrub was built without the package trait CommandLine; build it with 'swift build --traits CommandLine'")
#endif
