/// The rules by which an index goes beyond the container's data. All are on; a test switches one off to show that a
/// verification finds the same fault by itself.
package struct IndexRules: Sendable {
    /// If coded order and the container's times contradict each other, the codec's own order counts.
    package var codecDecidesOrder = true
    /// Packets that make no picture get no frame number.
    package var findsEmptyPackets = true

    package init() {}
}
