#if CommandLine
internal import ArgumentParser
internal import ScrubBase

/// Whose names for options are in the messages of `scrub drive`.
enum MessageWords: String, CaseIterable, ExpressibleByArgument {
    case command, python

    var face: Face {
        switch self {
        case .command: .command
        case .python: .python
        }
    }
}
#endif
