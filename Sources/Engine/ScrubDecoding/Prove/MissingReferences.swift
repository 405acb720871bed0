/// The message of a decoder of HEVC that references are missing, and when it does not count. Pure.
///
/// hevc_refs.c says so of every picture of a reference picture set that it was not given, those included that the
/// present picture doesn't use. Where packets were left out the closure has all that are used, if they are known. Where
/// none was, a reference is missing because of the file.
struct MissingReferences {
    /// Whether packets of the run may be left out.
    let isExpected: Bool
    /// The last packet that the decoder was given in this run.
    private var lastGiven: Int?
    /// Whether one before it was left out.
    private var hasGap = false

    init(isExpected: Bool) { self.isExpected = isExpected }

    /// Takes the next packet.
    ///
    /// - Parameter needsAllReferences: whether the references of its picture are unknown.
    /// - Returns: the beginning of messages that do not count from now on; `nil` if all count.
    mutating func words(before number: Int, needsAllReferences: Bool) -> String? {
        if let lastGiven, number > lastGiven + 1 { hasGap = true }
        lastGiven = number
        return isExpected && hasGap && !needsAllReferences ? "Could not find ref with POC" : nil
    }
}
