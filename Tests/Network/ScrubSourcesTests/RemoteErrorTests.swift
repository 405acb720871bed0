import ScrubSourcesLogic
import ScrubHTTPTransport
import ScrubBase
import Testing

@testable import ScrubSources

/// The words about a network that fails: the fault, the address, and the remedy.
@Suite struct RemoteErrorTests {
    private static let failures: [HTTPFailure] = [
        .refused, .unknownHost, .timedOut, .tooSlow, .connectionLost(beforeFirstByte: true),
        .connectionLost(beforeFirstByte: false), .tls("no trust"),
        .forbiddenAddress(AddressRefusal("a loopback address", remedy: "allow it")),
        .badResponse("two lengths"), .tooLarge("100 lines"), .cancelled, .other("the proxy cannot be used"),
    ]

    /// A new case has to be put into the list above.
    private func isListed(_ failure: HTTPFailure) -> Bool {
        switch failure {
        case .refused, .unknownHost, .timedOut, .tooSlow, .connectionLost, .tls, .forbiddenAddress, .badResponse,
            .tooLarge, .cancelled, .other:
            true
        }
    }

    private func expectWhole(_ error: ScrubError, _ what: String) {
        #expect(error.file == "http://example.com/film.mp4?\u{2026}" && error.place != nil, "\(what)")
        #expect(error.advice?.isEmpty == false && !error.cause.hasSuffix("."), "\(what): \(error)")
        #expect(!error.description.contains("secret"), "\(error)")
    }

    private func errors() throws -> RemoteErrors {
        RemoteErrors(url: try RemoteURL("http://example.com/film.mp4?secret=1"))
    }

    @Test func everyFailureSaysWhatToDo() throws {
        for failure in Self.failures where isListed(failure) {
            expectWhole(try errors().failure(failure, at: 0..<10), "\(failure)")
        }
    }

    @Test func everyStatusSaysWhatToDo() throws {
        for status in 100...599 {
            let error = try errors().status(status, retryAfter: nil, at: 0..<10)
            expectWhole(error, "\(status)")
            #expect(error.cause.contains("(status \(status))") || error.cause.contains("status \(status)"), "\(error)")
            #expect([.noInput, .inputOutput].contains(error.code), "\(error)")
        }
    }

    /// Waiting does not help where the request itself is refused.
    @Test(arguments: [
        (400, "retrying won't help"), (405, "retrying won't help"), (402, "retrying won't help"),
        (408, "try again later"), (429, "try again later"), (500, "try again later"), (503, "try again later"),
        (401, "name and password"), (403, "name and password"), (407, "the proxy's address"),
        (404, "check the address"),
        (410, "check the address"), (302, "final address"),
    ])
    func theAdviceFitsTheStatus(_ status: Int, _ words: String) throws {
        let error = try errors().status(status, retryAfter: nil, at: 0..<10)
        #expect(error.advice?.contains(words) == true, "\(error)")
    }
}
