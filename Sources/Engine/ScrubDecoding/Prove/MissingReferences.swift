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
    /// What the decoder was told last.
    private var isIgnored = false

    /// The beginning of the message.
    static let words = "Could not find ref with POC"

    init(isExpected: Bool) { self.isExpected = isExpected }

    /// Takes the next packet.
    ///
    /// - Parameter fed: knows whether the references of its picture are unknown.
    /// - Returns: whether the message is to be ignored from now on; `nil` if that is as before.
    mutating func change(before number: Int, in fed: FedPackets?) -> Bool? {
        if let lastGiven, number > lastGiven + 1 { hasGap = true }
        lastGiven = number
        let wasIgnored = isIgnored
        isIgnored = isExpected && hasGap && fed?.needsAllReferences(number) != true
        return isIgnored == wasIgnored ? nil : isIgnored
    }
}
