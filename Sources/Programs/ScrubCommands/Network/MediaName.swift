#if CommandLine
internal import ArgumentParser
internal import ScrubBase
internal import ScrubFileIO

/// The argument that a command takes for a video: a path, or the address of one on the network.
///
/// A name that begins with `http://` or `https://` is an address, everything else a path. Any typed text is a name: its
/// faults are told when it is opened, and by errors that know which parts must not be repeated.
struct MediaName: ExpressibleByArgument, Hashable, Sendable {
    /// As it was typed, with a password if there is one.
    let typed: String
    /// For answers to the user: without a password.
    let shown: String
    /// For messages, which end up in logs: without a query's text too.
    let said: String

    init(argument: String) {
        (typed, shown, said) = (argument, argument.withoutUserInformation, argument.saidName)
        // The file is recorded before any output is checked, whenever it is opened later.
        if !isRemote { ReadFiles.note(path: argument) }
    }

    /// Whether the name is an address.
    var isRemote: Bool { typed.isNetworkAddress }
}
#endif
