/// The history of one request.
package struct FaultLogEntry: Sendable {
    package let request: FaultRequest
    package var status = 0
    /// Which content of its resource it was given.
    package var generation = 0
    /// The parts of the content that were written to the socket, in order.
    package var contentRanges: [Range<Int64>] = []
    /// All bytes that were written to the socket for it, its head included.
    package var bytesWritten: Int64 = 0
    /// Whether the answer was written to its end; false as long as it is on its way.
    package var isWhole = false
    /// Whether nothing more will be written for it.
    package var isOver = false

    /// The range as it was asked for.
    package var range: String? { request.value("Range") }
    /// The bytes of the content that were written.
    package var contentBytes: Int64 { contentRanges.reduce(0) { $0 + Int64($1.count) } }

    /// Counts a part of the content as written, joined with the one before where it goes on.
    mutating func wrote(_ range: Range<Int64>) {
        if let last = contentRanges.last, last.upperBound == range.lowerBound {
            contentRanges[contentRanges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            contentRanges.append(range)
        }
    }
}

extension [FaultLogEntry] {
    /// The requests for one resource.
    package func of(_ name: String) -> [FaultLogEntry] { filter { $0.request.name == name } }

    /// All bytes of contents that were written.
    package var contentBytes: Int64 { reduce(0) { $0 + $1.contentBytes } }

    /// All bytes that were written, heads included.
    package var bytesWritten: Int64 { reduce(0) { $0 + $1.bytesWritten } }

    /// The number of connections that they came by.
    package var connectionCount: Int { Set(map(\.request.connection)).count }

    /// The number of bytes that were written at least once: each byte of each content counts once.
    package var distinctContentBytes: Int64 {
        let contents = Dictionary(grouping: self) { "\($0.generation) \($0.request.name)" }
        return contents.values.reduce(0) { $0 + Self.covered($1.flatMap(\.contentRanges)) }
    }

    private static func covered(_ ranges: [Range<Int64>]) -> Int64 {
        var (sum, end) = (Int64(0), Int64(0))
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.upperBound > end {
            sum += range.upperBound - Swift.max(end, range.lowerBound)
            end = range.upperBound
        }
        return sum
    }
}
