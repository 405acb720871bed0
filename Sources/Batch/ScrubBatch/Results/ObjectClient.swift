internal import Foundation
internal import ScrubSourcesLogic
package import ScrubHTTPTransport
internal import ScrubBase

/// Whatever asks an object store: libcurl, or a stand-in in tests.
package protocol ObjectTransport: Sendable {
    func perform(_ request: StoreRequest) throws(HTTPFailure) -> StoreAnswer
}

/// Connections to a store, as many as are in use at a time at most; idle ones are used again.
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

/// Asks an object store, and asks again where that may help.
///
/// Thread safety: safe from any thread.
struct ObjectClient: Sendable {
    let options: ObjectStoreOptions
    let transport: any ObjectTransport
    /// Waits before another try.
    let pause: @Sendable (Duration) -> Void

    /// The most times that a request is sent.
    static let tries = 7

    /// Sends a request, again after 0.2, 0.4 ... s where the store is busy (409, 429, 5xx) or the connection was lost.
    ///
    /// - Parameter make: makes the request again for each try, as bodies are read once.
    /// - Throws: if the store does not answer. The caller judges the answers.
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

    /// Returns the error of a store's refusal. Of its words only the code is shown: the rest may name keys.
    func refusal(_ answer: StoreAnswer, _ key: String) -> ScrubError {
        let text = String(decoding: answer.body.prefix(4096), as: UTF8.self)
        var word = ""
        if let start = text.range(of: "<Code>"), let end = text.range(of: "</Code>"), start.upperBound < end.lowerBound
        {
            word = " " + text[start.upperBound..<end.lowerBound].filter { $0.isASCII && $0.isLetter }.prefix(60)
        }
        let advice: Wording? =
            answer.status == 403
            ? "check the credentials, AWS_REGION, and that they may list, read, write and delete there"
            : answer.status == 404 ? "make the bucket first" : "try again later"
        let isBusy = answer.status == 429 || answer.status >= 500
        return ScrubError(
            .unavailable, "the object store \(isBusy ? "is busy" : "refuses"): \(answer.status)\(word)",
            file: (try? options.url(key))?.description,
            advice: advice)
    }
}
