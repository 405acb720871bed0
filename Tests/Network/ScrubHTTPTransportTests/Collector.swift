import ScrubSourcesLogic
import Foundation
import ScrubHTTPTransport
import ScrubTestSupport

/// Takes an answer into memory, and lets a test wait for its end.
final class Collector: HTTPReceiver, @unchecked Sendable {
    // `@unchecked Sendable`: touched only under the condition's lock.
    private let condition = NSCondition()
    private var collectedHead: HTTPHead?
    private var collectedBytes: [UInt8] = []
    private var results: [Result<Void, HTTPFailure>] = []
    private var callsAfterEnd = 0
    private let onHead: @Sendable (HTTPHead) -> HTTPVerdict
    private let onBytes: @Sendable (Int) -> HTTPVerdict

    /// - Parameters:
    ///   - onHead: the verdict on the head.
    ///   - onBytes: the verdict on bytes, with the number that came so far.
    init(
        onHead: @escaping @Sendable (HTTPHead) -> HTTPVerdict = { _ in .take },
        onBytes: @escaping @Sendable (Int) -> HTTPVerdict = { _ in .take }
    ) {
        self.onHead = onHead
        self.onBytes = onBytes
    }

    func receive(_ head: HTTPHead) -> HTTPVerdict {
        condition.withLock {
            collectedHead = head
            if !results.isEmpty { callsAfterEnd += 1 }
            condition.broadcast()
        }
        return onHead(head)
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> HTTPVerdict {
        let count = condition.withLock {
            collectedBytes += bytes
            if !results.isEmpty { callsAfterEnd += 1 }
            condition.broadcast()
            return collectedBytes.count
        }
        return onBytes(count)
    }

    func end(_ result: Result<Void, HTTPFailure>) {
        condition.withLock {
            results.append(result)
            condition.broadcast()
        }
    }

    var head: HTTPHead? { condition.withLock { collectedHead } }
    var bytes: [UInt8] { condition.withLock { collectedBytes } }
    /// The number of ends; and calls that came behind it.
    var endCount: Int { condition.withLock { results.count } }
    var strayCalls: Int { condition.withLock { callsAfterEnd } }

    /// Waits for the end; `nil` when it did not come within ten seconds, which is a failure and no pace.
    @discardableResult
    func wait() -> Result<Void, HTTPFailure>? {
        waitUntil { !results.isEmpty }
        return condition.withLock { results.first }
    }

    /// Waits for so many bytes of body.
    func waitForBytes(_ count: Int) { waitUntil { collectedBytes.count >= count || !results.isEmpty } }

    private func waitUntil(_ isThere: () -> Bool) {
        let limit = Date(timeIntervalSinceNow: 10)
        condition.lock()
        defer { condition.unlock() }
        while !isThere(), condition.wait(until: limit) {}
    }

    /// Why it failed; `nil` for success and for no end.
    var failure: HTTPFailure? {
        if case .failure(let failure)? = wait() { failure } else { nil }
    }

    var succeeded: Bool {
        if case .success? = wait() { true } else { false }
    }
}

/// Bytes that differ at every place, in memory: making them takes longer than sending them.
func madeOnce(_ count: Int64, seed: UInt64) -> FaultContent {
    FaultContent(FaultContent.made(count, seed: seed).read(0..<count))
}

/// A client for tests: no proxies, whatever the environment says.
func testClient(_ change: (inout HTTPClientOptions) throws -> Void = { _ in }) throws -> HTTPClient {
    var options = HTTPClientOptions(userAgent: "scrub-tests", proxies: .none)
    try change(&options)
    return try HTTPClient(options: options)
}

extension HTTPRequestStarter {
    /// Asks and waits.
    func get(
        _ url: String, _ range: Range<Int64>? = nil, headers: [(name: String, value: String)] = [],
        timeouts: HTTPTimeouts = HTTPTimeouts(), bodyLimit: Int64? = nil
    ) throws -> Collector {
        let collector = Collector()
        start(
            HTTPRequest(
                url: try RemoteURL(url), range: range, headers: headers, bodyLimit: bodyLimit, timeouts: timeouts),
            collector)
        collector.wait()
        return collector
    }
}
