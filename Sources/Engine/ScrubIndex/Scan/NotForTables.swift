internal import ScrubBase

/// Why a container's own tables and headers won't do for an index; libavformat's packet pass takes over.
struct NotForTables: Error {
    /// The reason.
    let why: String
    /// The same as an error, where it should be the last word if the other way fails too.
    let reason: ScrubError?
    /// The joints at which only a linear decode tells which pictures are shown, and in which order: ``OpenJoints``.
    var openJoints: [Int] = []
    /// The warnings about content that the other way skips too.
    var omissions: [String] = []
}
