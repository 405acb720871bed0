internal import ScrubBase

/// Why a container's own tables and headers won't do for an index; libavformat's packet pass takes over.
struct NotForTables: Error {
    /// What prevents it.
    let why: String
    /// The same as an error, where it should be the last word if the other way fails too.
    let reason: ScrubError?
    /// Where nothing but a linear decode tells what is shown, and in which order: ``OpenJoints``.
    var openJoints: [Int] = []
}
