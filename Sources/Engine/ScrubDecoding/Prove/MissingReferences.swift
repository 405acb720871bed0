/// The HEVC decoder's message about missing references, and when it does not count. Pure.
///
/// hevc_refs.c reports every missing picture of a reference picture set, including those that the current picture does
/// not use. If packets were skipped, the closure contains all used references, provided that they are known. If no
/// packet was skipped, a reference is missing because of the file.
struct MissingReferences {
    /// Whether packets of the run may be skipped.
    let isExpected: Bool
    /// The last packet given to the decoder in this run.
    private var lastGiven: Int?
    /// Whether a packet before it was skipped.
    private var hasGap = false
    /// The current setting of the decoder.
    private var isIgnored = false

    /// The start of the message.
    static let words = "Could not find ref with POC"

    init(isExpected: Bool) { self.isExpected = isExpected }

    /// Handles the next packet.
    ///
    /// - Parameter fed: the packets fed so far, which determine whether the references of the picture are unknown.
    /// - Returns: whether the message should be ignored from now on; `nil` if this does not change.
    mutating func change(before number: Int, in fed: FedPacketLog?) -> Bool? {
        if let lastGiven, number > lastGiven + 1 { hasGap = true }
        lastGiven = number
        let wasIgnored = isIgnored
        isIgnored = isExpected && hasGap && fed?.needsAllReferences(number) != true
        return isIgnored == wasIgnored ? nil : isIgnored
    }
}
