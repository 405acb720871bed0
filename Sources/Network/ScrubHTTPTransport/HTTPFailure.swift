package import ScrubSourcesLogic
package import ScrubBase

/// The reason why there is no response or no complete one. Texts are clauses without a full stop and contain no
/// credentials.
package enum HTTPFailure: Error, Hashable, Sendable {
    /// The connection was refused, or the host is unreachable.
    case refused
    /// The host has no address.
    case unknownHost
    /// One of ``HTTPTimeouts/connect``, ``HTTPTimeouts/firstByte`` and ``HTTPTimeouts/total`` has elapsed.
    case timedOut
    /// The body arrived more slowly than ``HTTPTimeouts/leastRate``.
    case tooSlow
    /// The connection ended early.
    case connectionLost(beforeFirstByte: Bool)
    /// There is no secure connection because of the certificate, the name or the protocol.
    case tls(String)
    /// The address policy or a redirect rule refuses the address; with its remedy.
    case forbiddenAddress(AddressRefusal)
    /// The response is not HTTP or is inconsistent: a 206 with other bytes, a coding that was not requested, two
    /// lengths, endless redirects.
    case badResponse(String)
    /// A limit was exceeded: header bytes, header lines, or the body.
    case tooLarge(String)
    /// The caller or the receiver stopped the transfer.
    case cancelled
    /// Any other failure, such as a proxy's refusal.
    case other(String)
}

extension HTTPFailure: CustomStringConvertible {
    /// The cause as a clause without a full stop.
    package var description: String { wording.description }

    package var wording: Wording {
        switch self {
        case .refused: "the server refused the connection"
        case .unknownHost: "the host name cannot be resolved"
        case .timedOut: "the server did not respond in time"
        case .tooSlow: "the server's response is too slow"
        case .connectionLost(beforeFirstByte: true): "the server closed the connection without a response"
        case .connectionLost(beforeFirstByte: false): "the connection was lost during the response"
        case .tls(let text): "the secure connection failed: \(text)"
        case .forbiddenAddress(let refusal): "not allowed: \(refusal.cause)"
        case .badResponse(let text): "the response is invalid: \(text)"
        case .tooLarge(let text): "the response is too large: \(text)"
        case .cancelled: "cancelled"
        case .other(let text): Wording(text)
        }
    }

    /// Returns the failure as a ``ScrubError``, with the address and the remedy.
    package func error(for url: RemoteURL) -> ScrubError {
        let (code, advice): (ScrubError.Code, Wording?) =
            switch self {
            case .refused, .unknownHost: (.noInput, "check the host and port")
            case .timedOut, .tooSlow: (.inputOutput, "try again, or increase the timeout")
            case .connectionLost: (.inputOutput, "try again")
            case .tls: (.inputOutput, "check the host name and its certificate")
            case .forbiddenAddress(let refusal): (.usage, refusal.remedy)
            case .badResponse, .tooLarge: (.inputOutput, "the server, or a proxy on the way to it, is at fault")
            case .cancelled, .other: (.inputOutput, nil)
            }
        return ScrubError(code, wording, file: url.description, advice: advice)
    }
}
