/// How an answer relates to the requested frame.
///
/// Every answer has a verdict: Scrub never silently returns a neighboring frame.
public enum Verdict: Hashable, Sendable {
    /// The requested frame, decoded from a clean restart (or from the start of the stream) without errors from the
    /// decoder.
    case exact
    /// The requested frame, but its data, or data that it depends on, is damaged. The decoder concealed the damage as
    /// far as possible.
    case damaged(Wording)
    /// Another picture, shown in place of the frame until the exact one is available.
    case approximate(Wording)
    /// No picture can be made.
    case undecodable(Wording)

    /// The verdict's name: `exact`, `damaged`, `approximate` or `undecodable`.
    public var name: String {
        switch self {
        case .exact: "exact"
        case .damaged: "damaged"
        case .approximate: "approximate"
        case .undecodable: "undecodable"
        }
    }

    /// The reason why the answer is not exact; `nil` for an exact answer.
    public var reason: String? { wording?.description }

    /// The ``reason``, for any interface.
    package var wording: Wording? {
        switch self {
        case .exact: nil
        case .damaged(let reason), .approximate(let reason), .undecodable(let reason): reason
        }
    }
}
