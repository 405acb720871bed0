#if CommandLine
internal import ArgumentParser
internal import ScrubBase
internal import ScrubFileIO

/// The argument that a command takes for a video: a path, or the address of one on the network.
///
/// A name that begins with `http://` or `https://` is an address, everything else a path. Any typed text is accepted as
/// a name: errors are reported when it is opened, without the parts that must not be repeated.
struct MediaName: ExpressibleByArgument, Hashable, Sendable {
    /// As typed, with a password if there is one.
    let typed: String
    /// For responses to the user, without a password.
    let shown: String
    /// For messages, which end up in logs, also without a query's text.
    let said: String

    init(argument: String) {
        (typed, shown, said) = (argument, argument.withoutUserInformation, argument.saidName)
        // The file is recorded before any output is checked, no matter when it is opened.
        if !isRemote { InputFileRegistry.note(path: argument) }
    }

    /// Whether the name is an address.
    var isRemote: Bool { typed.isNetworkAddress }
}
#endif
