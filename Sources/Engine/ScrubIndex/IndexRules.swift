/// The rules by which an index goes beyond the container's data. All are on by default; a test switches one off to show
/// that a verification finds the same fault on its own.
package struct IndexRules: Sendable {
    /// Whether the codec's own order is used if coded order and the container's times contradict each other.
    package var codecDecidesOrder = true
    /// Whether packets that produce no picture get no frame number.
    package var findsEmptyPackets = true

    package init() {}
}
