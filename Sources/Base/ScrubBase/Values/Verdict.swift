/// The relation of an answer to the frame that was asked for.
///
/// Every answer carries one; nothing is ever a neighbour in silence.
public enum Verdict: Hashable, Sendable {
    /// The very frame, decoded from a clean restart (or from the stream's beginning) without a complaint from the
    /// decoder.
    case exact
    /// The right frame, but its data, or data that it depends on, is damaged; the decoder concealed the damage as far
    /// as it could.
    case damaged(Wording)
    /// Another picture that stands in for the frame until the exact one is there.
    case approximate(Wording)
    /// No picture can be made.
    case undecodable(Wording)

    /// `exact`, `damaged`, `approximate` or `undecodable`.
    public var name: String {
        switch self {
        case .exact: "exact"
        case .damaged: "damaged"
        case .approximate: "approximate"
        case .undecodable: "undecodable"
        }
    }

    /// Why it is not exact; `nil` for an exact answer.
    public var reason: String? { wording?.description }

    /// The ``reason``, for each face.
    package var wording: Wording? {
        switch self {
        case .exact: nil
        case .damaged(let reason), .approximate(let reason), .undecodable(let reason): reason
        }
    }
}
