#if CommandLine
internal import ArgumentParser
internal import ScrubBase

/// The kind of option names in the messages of `scrub drive`.
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
