internal import Glibc
package import ScrubSourcesLogic
internal import ScrubHTTPTransport
internal import ScrubBase

extension RemoteURL {
    /// The address in messages and reports. It has no name and password, and a query is only marked as present, since
    /// it may have a signature in it.
    package var shownName: String {
        guard query != nil else { return key }
        return String(key.prefix { $0 != "?" }) + "?\u{2026}"
    }
}

/// Errors of one address.
struct RemoteErrors {
    let url: RemoteURL

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

    /// Returns the error of a transfer that failed.
    func failure(_ failure: HTTPFailure, at range: Range<Int64>?) -> ScrubError {
        switch failure {
        case .refused, .unknownHost:
            error(
                .noInput, failure.wording, at: range,
                advice: "check host and port, of the proxy too, and where the address is redirected to",
                as: failure == .refused ? ECONNREFUSED : EHOSTUNREACH)
        case .forbiddenAddress(let refusal):
            error(.unavailable, failure.wording, at: range, advice: refusal.remedy)
        case .timedOut, .tooSlow:
            error(
                .inputOutput, failure.wording, at: range, advice: "try again, or allow more time", as: ETIMEDOUT)
        case .connectionLost:
            error(.inputOutput, failure.wording, at: range, advice: "try again", as: ECONNRESET)
        case .tls:
            error(.inputOutput, failure.wording, at: range, advice: "check the host's name and its certificate")
        case .badResponse, .tooLarge:
            error(
                .inputOutput, failure.wording, at: range,
                advice: "the server or something on the way is at fault")
        case .cancelled: error(.inputOutput, failure.wording, at: range, advice: "try again")
        case .other:
            error(
                .inputOutput, failure.wording, at: range, advice: "check the address and the proxy, then try again")
        }
    }

    /// Returns the error of a server that answered with a status other than success.
    func status(_ status: Int, retryAfter: Int64?, at range: Range<Int64>?) -> ScrubError {
        switch status {
        case 407:
            return error(
                .noInput, "the proxy asks for a name and password (status 407)", at: range,
                advice: "write them into the proxy's address: http://name:password@host:port")
        case 401, 403:
            return error(
                .noInput, "the server refuses access (status \(status))", at: range,
                advice:
                    "write name and password into the address (http://name:password@host/…) or give the header that it asks for (\(term: .headers)); a signed address may have expired",
                as: EACCES)
        case 404, 410, 451:
            return error(
                .noInput, "there is nothing at this address (status \(status))", at: range,
                advice: "check the address: it may be misspelled, or its file was moved", as: ENOENT)
        case 300..<400:
            return error(
                .inputOutput, "the server answers with a redirect to nowhere (status \(status))", at: range,
                advice: "check the address in a browser, and use the one where it ends")
        case 400..<500 where ![408, 423, 425, 429].contains(status):
            return error(
                .inputOutput, "the server does not take this request (status \(status))", at: range,
                advice: "check the address and the headers; asking again won't help")
        default:
            let wait = retryAfter.map { " and wants \($0) s of rest" } ?? ""
            return error(
                .inputOutput, "the server answers with status \(status)\(wait)", at: range, advice: "try again later")
        }
    }

    func wrong(_ cause: String, at range: Range<Int64>?) -> ScrubError {
        failure(.badResponse(cause), at: range)
    }

    func coded(_ coding: String, at range: Range<Int64>?) -> ScrubError {
        error(
            .badData, "the answer is coded as \(coding.prefix(40)), so its bytes are not the file's", at: range,
            advice: "the server must send the file as it is")
    }

    func changed(at range: Range<Int64>?) -> ScrubError {
        error(
            .badData, "the content changed while it was read", at: range,
            advice: "open it again: the next opening reads the new content")
    }

    func missing(at range: Range<Int64>?) -> ScrubError {
        error(
            .badData, "the server says that these bytes do not exist", at: range,
            advice: "the file there is shorter than it was said to be: open it again, or fetch it first")
    }

    func late(_ span: Duration, at place: Int64) -> ScrubError {
        var error = ScrubError(
            .inputOutput, "nothing came within \(span.components.seconds) s", file: url.shownName,
            place: .byte(Int64(place)), advice: "try again, or allow more time")
        error.systemError = .errno(ETIMEDOUT)
        return error
    }

    var cancelled: ScrubError { ScrubError.cancelled.inFile(url.shownName) }

    func tooLarge(_ limit: Int) -> ScrubError {
        ScrubError(
            .unavailable,
            "the server answers no ranges, and all of it does not fit into \(limit) bytes of memory",
            file: url.shownName, advice: "allow the cache, allow more memory, or fetch the file first")
    }

    func early(at place: Int64) -> ScrubError {
        error(
            .inputOutput, "the server sends fewer bytes than it was asked for", at: place..<place + 1,
            advice: "the server or something on the way is at fault")
    }
}
