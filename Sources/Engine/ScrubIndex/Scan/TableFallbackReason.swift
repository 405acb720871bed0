internal import ScrubBase

/// The reason why a container's own tables and headers are not enough for an index; libavformat's packet pass is used
/// instead.
struct TableFallbackReason: Error {
    /// The reason.
    let why: String
    /// The same as an error, if it should be reported when the packet pass fails too.
    let reason: ScrubError?
    /// The joints at which only a linear decode can tell which pictures are shown, and in which order:
    /// ``OpenGroupEdits``.
    var openJoints: [Int] = []
    /// Warnings about content that the packet pass skips too.
    var omissions: [String] = []
}
