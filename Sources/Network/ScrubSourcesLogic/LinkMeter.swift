/// The qualities of the way to a server, from the last few answers: the middle one counts, so that one slow answer
/// changes nothing.
///
/// Times are nanoseconds.
package struct LinkMeter: Hashable, Sendable {
    private static let kept = 8
    private var delays: [Int64] = []
    private var connects: [Int64] = []
    private var rates: [Int64] = []

    /// Nothing is known.
    package init() {}

    /// From a request on a connection that stands to its answer's first byte; `nil` before the first answer.
    package var delay: Int64? { LinkMeter.middle(delays) }

    /// The time that a new connection takes, with TLS. Before one was measured it is taken for as long as ``delay``.
    package var connectTime: Int64? { LinkMeter.middle(connects) ?? delay }

    /// Bytes per second of one connection while others are in use too; `nil` before a long enough body.
    package var bytesPerSecond: Int64? { LinkMeter.middle(rates) }

    /// Records one answer.
    ///
    /// - Parameters:
    ///   - delay: from the request's being sent to the first byte.
    ///   - connect: the time that the connection took; `nil` if it already existed.
    package mutating func answered(after delay: Int64, connect: Int64?) {
        LinkMeter.keep(max(0, delay), in: &delays)
        if let connect { LinkMeter.keep(max(0, connect), in: &connects) }
    }

    /// Records one body. Short ones do not count: the bytes in the first window are as fast as the machine.
    package mutating func transferred(_ byteCount: Int64, in span: Int64) {
        guard byteCount >= 32 * 1024, span > 0 else { return }
        let product = byteCount.multipliedFullWidth(by: 1_000_000_000)
        guard span > product.high else { return }
        let rate = span.dividingFullWidth(product).quotient
        LinkMeter.keep(max(1, rate), in: &rates)
    }

    /// Bytes that come while a connection is made: stopping an answer that has fewer left saves nothing.
    package var bytesPerConnect: Int64 {
        bytes(in: connectTime, unknown: 64 * 1024)
    }

    /// Bytes that come while one waits for an answer's first byte.
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
