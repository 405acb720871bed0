/// The rules by which an index goes beyond what the container says. All are on; a test switches one off to show that a
/// verification finds by itself what the rule is there for.
package struct IndexRules: Sendable {
    /// Where coded order and the container's times contradict each other, the codec's own order counts.
    package var codecDecidesOrder = true
    /// Packets that make no picture get no frame number.
    package var findsEmptyPackets = true

    package init() {}
}
