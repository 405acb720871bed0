package import ScrubSourcesLogic
package import ScrubBase

/// Why there is no answer, or not the whole of it. Texts are clauses without a full stop and have no credentials in
/// them.
package enum HTTPFailure: Error, Hashable, Sendable {
    /// The connection was refused, or the host cannot be reached.
    case refused
    /// The host has no address.
    case unknownHost
    /// One of ``HTTPTimeouts/connect``, ``HTTPTimeouts/firstByte`` and ``HTTPTimeouts/total`` is over.
    case timedOut
    /// The body came at less than ``HTTPTimeouts/leastRate``.
    case tooSlow
    /// The connection ended early.
    case connectionLost(beforeFirstByte: Bool)
    /// No safe connection: the certificate, the name, the protocol.
    case tls(String)
    /// The address policy, or a rule of redirects, refuses; with its remedy.
    case forbiddenAddress(AddressRefusal)
    /// Not HTTP, or a lie: a 206 of other bytes, a coding that was not asked for, two lengths, redirects without end.
    case badResponse(String)
    /// More than a limit: header bytes, header lines, the body.
    case tooLarge(String)
    /// The caller or the receiver did not want more.
    case cancelled
    /// Anything else, such as a proxy's refusal.
    case other(String)
}

extension HTTPFailure: CustomStringConvertible {
    /// The cause, one clause without a full stop.
    package var description: String { wording.description }

    package var wording: Wording {
        switch self {
        case .refused: "the server refuses the connection"
        case .unknownHost: "the host has no address"
        case .timedOut: "the server did not answer in time"
        case .tooSlow: "the server's answer comes too slowly"
        case .connectionLost(beforeFirstByte: true): "the server closed the connection without an answer"
        case .connectionLost(beforeFirstByte: false): "the connection was lost within the answer"
        case .tls(let text): "no safe connection: \(text)"
        case .forbiddenAddress(let refusal): "not allowed: \(refusal.cause)"
        case .badResponse(let text): "a wrong answer: \(text)"
        case .tooLarge(let text): "the answer is too large: \(text)"
        case .cancelled: "cancelled"
        case .other(let text): Wording(text)
        }
    }

    /// Returns the failure as an error of this library's, with the address and the remedy.
    package func error(for url: RemoteURL) -> ScrubError {
        let (code, advice): (ScrubError.Code, Wording?) =
            switch self {
            case .refused, .unknownHost: (.noInput, "check host and port")
            case .timedOut, .tooSlow: (.inputOutput, "try again, or allow more time")
            case .connectionLost: (.inputOutput, "try again")
            case .tls: (.inputOutput, "check the host's name and its certificate")
            case .forbiddenAddress(let refusal): (.usage, refusal.remedy)
            case .badResponse, .tooLarge: (.inputOutput, "the server or something on the way is at fault")
            case .cancelled, .other: (.inputOutput, nil)
            }
        return ScrubError(code, wording, file: url.description, advice: advice)
    }
}
