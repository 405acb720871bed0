internal import Foundation
internal import ScrubSourcesLogic
package import ScrubHTTPTransport
internal import ScrubBase

/// A client for an object store: libcurl, or a substitute in tests.
package protocol ObjectTransport: Sendable {
    func perform(_ request: StoreRequest) throws(HTTPFailure) -> StoreAnswer
}

/// Connections to a store, never more than are in use at any one time; idle connections are reused.
///
/// Thread safety: safe from any thread.
final class CurlTransport: ObjectTransport {
    private let idle = Locked<[StoreConnection]>([])

    func perform(_ request: StoreRequest) throws(HTTPFailure) -> StoreAnswer {
        let connection: StoreConnection
        if let kept = idle.withLock({ $0.popLast() }) {
            connection = kept
        } else {
            do { connection = try StoreConnection(userAgent: "scrub") } catch { throw .other(error.description) }
        }
        let answer = try connection.perform(request)
        idle.withLock { $0.append(connection) }
        return answer
    }
}

/// Sends requests to an object store, and retries them if that may help.
///
/// Thread safety: safe from any thread.
struct ObjectClient: Sendable {
    let options: ObjectStoreOptions
    let transport: any ObjectTransport
    /// Waits before another attempt.
    let pause: @Sendable (Duration) -> Void

    /// The maximum number of times that a request is sent.
    static let tries = 7

    /// Sends a request, and repeats it after 0.2, 0.4 ... s if the store is busy (409, 429, 5xx) or the connection was
    /// lost.
    ///
    /// - Parameter make: creates the request for each attempt, because bodies are read only once.
    /// - Throws: if the store does not answer. The caller interprets the responses.
    func send(
        _ key: String, _ method: StoreRequest.Method, _ make: (inout StoreRequest) throws(ScrubError) -> Void = { _ in }
    ) throws(ScrubError) -> StoreAnswer {
        let url = try options.url(key)
        var number = 0
        while true {
            var request = StoreRequest(method, url, signer: options.signer)
            try make(&request)
            number += 1
            do throws(HTTPFailure) {
                let answer = try transport.perform(request)
                guard number < ObjectClient.tries, ObjectClient.isBusy(answer.status) else { return answer }
            } catch {
                guard number < ObjectClient.tries, ObjectClient.mayPass(error) else { throw error.error(for: url) }
            }
            pause(.milliseconds(100 << number))
        }
    }

    private static func isBusy(_ status: Int) -> Bool { [409, 429, 500, 502, 503, 504].contains(status) }

    private static func mayPass(_ failure: HTTPFailure) -> Bool {
        switch failure {
        case .refused, .timedOut, .tooSlow, .connectionLost, .other: true
        case .unknownHost, .tls, .forbiddenAddress, .badResponse, .tooLarge, .cancelled: false
        }
    }

    /// Returns the error for a store's refusal. Only its code is shown, because the rest may contain keys.
    func refusal(_ answer: StoreAnswer, _ key: String) -> ScrubError {
        let text = String(decoding: answer.body.prefix(4096), as: UTF8.self)
        var word = ""
        if let start = text.range(of: "<Code>"), let end = text.range(of: "</Code>"), start.upperBound < end.lowerBound
        {
            word = " " + text[start.upperBound..<end.lowerBound].filter { $0.isASCII && $0.isLetter }.prefix(60)
        }
        let advice: Wording? =
            answer.status == 403
            ? "check the credentials, AWS_REGION, and the permissions to list, read, write and delete"
            : answer.status == 404 ? "create the bucket first" : "try again later"
        let isBusy = answer.status == 429 || answer.status >= 500
        return ScrubError(
            .unavailable, "the object store \(isBusy ? "is busy" : "refused the request"): \(answer.status)\(word)",
            file: (try? options.url(key))?.description,
            advice: advice)
    }
}
