/// A measurement of the connection to a server, from the last few responses. It uses the median, so that one slow
/// response has no effect.
///
/// Times are nanoseconds.
package struct LinkEstimator: Hashable, Sendable {
    private static let kept = 8
    private var delays: [Int64] = []
    private var connects: [Int64] = []
    private var rates: [Int64] = []

    /// Creates a meter without measurements.
    package init() {}

    /// The time from a request on an established connection to the response's first byte; `nil` before the first
    /// response.
    package var delay: Int64? { LinkEstimator.middle(delays) }

    /// The time for a new connection, including TLS. Before one was measured, it is assumed to equal ``delay``.
    package var connectTime: Int64? { LinkEstimator.middle(connects) ?? delay }

    /// Bytes per second of one connection while others are also in use; `nil` before a long enough body.
    package var bytesPerSecond: Int64? { LinkEstimator.middle(rates) }

    /// Records a response.
    ///
    /// - Parameters:
    ///   - delay: the time from sending the request to the first byte.
    ///   - connect: the time for connecting; `nil` if the connection already existed.
    package mutating func answered(after delay: Int64, connect: Int64?) {
        LinkEstimator.keep(max(0, delay), in: &delays)
        if let connect { LinkEstimator.keep(max(0, connect), in: &connects) }
    }

    /// Records a body. Short ones do not count, because the bytes in the first window are as fast as the machine.
    package mutating func transferred(_ byteCount: Int64, in span: Int64) {
        guard byteCount >= 32 * 1024, span > 0 else { return }
        let product = byteCount.multipliedFullWidth(by: 1_000_000_000)
        guard span > product.high else { return }
        let rate = span.dividingFullWidth(product).quotient
        LinkEstimator.keep(max(1, rate), in: &rates)
    }

    /// The number of bytes that arrive during a connection setup. Stopping a response with fewer remaining bytes saves
    /// nothing.
    package var bytesPerConnect: Int64 {
        bytes(in: connectTime, unknown: 64 * 1024)
    }

    /// The number of bytes that arrive while waiting for a response's first byte.
    package var bytesPerDelay: Int64 { bytes(in: delay, unknown: 64 * 1024) }

    private func bytes(in span: Int64?, unknown: Int64) -> Int64 {
        guard let span, let rate = bytesPerSecond else { return unknown }
        let product = rate.multipliedFullWidth(by: span)
        guard product.high < 1_000_000_000 else { return .max }
        return Int64(1_000_000_000).dividingFullWidth(product).quotient
    }

    private static func keep(_ value: Int64, in values: inout [Int64]) {
        if values.count == kept { values.removeFirst() }
        values.append(value)
    }

    private static func middle(_ values: [Int64]) -> Int64? {
        values.isEmpty ? nil : values.sorted()[values.count / 2]
    }
}
