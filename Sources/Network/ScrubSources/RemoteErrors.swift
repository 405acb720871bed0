internal import Glibc
package import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubBase

extension RemoteURL {
    /// The address in messages and reports. It has no user name or password, and a query is only marked as present,
    /// because it may contain a signature.
    package var shownName: String {
        guard query != nil else { return key }
        return String(key.prefix { $0 != "?" }) + "?\u{2026}"
    }
}

/// The errors of one address.
struct RemoteErrors {
    let url: RemoteURL

    /// Creates an error.
    ///
    /// - Parameter number: the `errno` of such a failure, which programs in other languages have names for.
    private func error(
        _ code: ScrubError.Code, _ cause: Wording, at range: Range<Int64>?, advice: Wording?, as number: Int32? = nil
    ) -> ScrubError {
        var error = ScrubError(code, cause, file: url.shownName, place: range.map { place($0) }, advice: advice)
        error.systemError = number.map { .errno($0) }
        return error
    }

    private func place(_ range: Range<Int64>) -> ScrubError.Place {
        range.upperBound == .max ? "from byte \(range.lowerBound)" : "bytes \(range.text)"
    }

    /// Returns the error of a failed transfer.
    func failure(_ failure: HTTPFailure, at range: Range<Int64>?) -> ScrubError {
        switch failure {
        case .refused, .unknownHost:
            error(
                .noInput, failure.wording, at: range,
                advice: "check the host and port, including the proxy's, and where the address redirects to",
                as: failure == .refused ? ECONNREFUSED : EHOSTUNREACH)
        case .forbiddenAddress(let refusal):
            error(.unavailable, failure.wording, at: range, advice: refusal.remedy)
        case .timedOut, .tooSlow:
            error(
                .inputOutput, failure.wording, at: range, advice: "try again, or increase the timeout", as: ETIMEDOUT)
        case .connectionLost:
            error(.inputOutput, failure.wording, at: range, advice: "try again", as: ECONNRESET)
        case .tls:
            error(.inputOutput, failure.wording, at: range, advice: "check the host name and its certificate")
        case .badResponse, .tooLarge:
            error(
                .inputOutput, failure.wording, at: range,
                advice: "the server, or a proxy on the way to it, is at fault")
        case .cancelled: error(.inputOutput, failure.wording, at: range, advice: "try again")
        case .other:
            error(
                .inputOutput, failure.wording, at: range, advice: "check the address and the proxy, then try again")
        }
    }

    /// Returns the error for a response with a status other than success.
    func status(_ status: Int, retryAfter: Int64?, at range: Range<Int64>?) -> ScrubError {
        switch status {
        case 407:
            return error(
                .noInput, "the proxy requires a name and password (status 407)", at: range,
                advice: "put them in the proxy's address: http://name:password@host:port")
        case 401, 403:
            return error(
                .noInput, "the server refused access (status \(status))", at: range,
                advice:
                    "put the name and password in the address (http://name:password@host/…), or send the header that the server requires (\(term: .headers)); a signed address may have expired",
                as: EACCES)
        case 404, 410, 451:
            return error(
                .noInput, "there is nothing at this address (status \(status))", at: range,
                advice: "check the address: it may be misspelled, or the file may have moved", as: ENOENT)
        case 300..<400:
            return error(
                .inputOutput, "the server responded with an unusable redirect (status \(status))", at: range,
                advice: "open the address in a browser, and use the final address")
        case 400..<500 where ![408, 423, 425, 429].contains(status):
            return error(
                .inputOutput, "the server rejected this request (status \(status))", at: range,
                advice: "check the address and the headers; retrying won't help")
        default:
            let wait = retryAfter.map { " and asked to wait \($0) s" } ?? ""
            return error(
                .inputOutput, "the server responded with status \(status)\(wait)", at: range, advice: "try again later")
        }
    }

    func wrong(_ cause: String, at range: Range<Int64>?) -> ScrubError {
        failure(.badResponse(cause), at: range)
    }

    func coded(_ coding: String, at range: Range<Int64>?) -> ScrubError {
        error(
            .badData, "the response is encoded as \(coding.prefix(40)), so its bytes differ from the file's", at: range,
            advice: "the server must send the file without a content encoding")
    }

    func changed(at range: Range<Int64>?) -> ScrubError {
        error(
            .badData, "the content changed while being read", at: range,
            advice: "open it again to read the new content")
    }

    func missing(at range: Range<Int64>?) -> ScrubError {
        error(
            .badData, "the server reports that these bytes do not exist", at: range,
            advice: "the file is shorter than the server declared before: open it again, or download it first")
    }

    func late(_ span: Duration, at place: Int64) -> ScrubError {
        var error = ScrubError(
            .inputOutput, "no data arrived within \(span.components.seconds) s", file: url.shownName,
            place: .byte(Int64(place)), advice: "try again, or increase the timeout")
        error.systemError = .errno(ETIMEDOUT)
        return error
    }

    var cancelled: ScrubError { ScrubError.cancelled.inFile(url.shownName) }

    func tooLarge(_ limit: Int) -> ScrubError {
        ScrubError(
            .unavailable,
            "the server does not support ranges, and the whole file does not fit in \(limit) bytes of memory",
            file: url.shownName, advice: "enable the cache, allow more memory, or download the file first")
    }

    func early(at place: Int64) -> ScrubError {
        error(
            .inputOutput, "the server sent fewer bytes than requested", at: place..<place + 1,
            advice: "the server, or a proxy on the way to it, is at fault")
    }
}
