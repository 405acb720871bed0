import ScrubBase

extension BlockReader {
    /// Searches for an offset at which a cluster seems to begin, so that a second reader can start there.
    ///
    /// The result is a guess, because a payload may contain the same bytes. It is confirmed only when a reader that
    /// started earlier reaches exactly this offset between two clusters.
    ///
    /// - Parameters:
    ///   - start: the first offset to inspect.
    ///   - end: the offset at which to give up.
    /// - Returns: `nil` if none is found or the file cannot be read.
    package func clusterPlace(from start: Int64, before end: Int64) -> Int64? {
        let end = min(end, elements.byteCount, segmentEnd ?? .max)
        var search = ClusterSearch(reader: elements.fresh(), limit: segmentEnd)
        return try? search.place(from: start, before: end)
    }
}

/// Searches for clusters by their identifier (RFC 9559, 5.1.3).
private struct ClusterSearch {
    var reader: ElementReader
    /// The end of the segment.
    let limit: Int64?

    private static let piece: Int64 = 128 << 10
    /// After this many false matches, the file is assumed to have been made to waste time.
    private static let mostRefused = 64

    mutating func place(from start: Int64, before end: Int64) throws(ScrubError) -> Int64? {
        var (position, refused) = (start, 0)
        while position + 4 <= end {
            let count = Int(min(ClusterSearch.piece, end - position))
            try reader.fill(at: position, count: count)
            var from = 0
            while let found = ClusterSearch.find(reader.span(at: position, count: count), from: from) {
                if isCluster(at: position + Int64(found)) { return position + Int64(found) }
                refused += 1
                guard refused <= ClusterSearch.mostRefused else { return nil }
                // The check has read elsewhere.
                try reader.fill(at: position, count: count)
                from = found + 1
            }
            position += Int64(count - 3)
        }
        return nil
    }

    /// Returns the identifier's first position. Only every fourth byte is inspected until one matches any of the
    /// identifier's four bytes.
    private static func find(_ bytes: Span<UInt8>, from first: Int) -> Int? {
        var last = first + 3
        while last < bytes.count {
            switch bytes[last] {
            case 0x75:
                if bytes[last - 1] == 0xB6, bytes[last - 2] == 0x43, bytes[last - 3] == 0x1F { return last - 3 }
                last += 4
            case 0xB6: last += 1
            case 0x43: last += 2
            case 0x1F: last += 3
            default: last += 4
            }
        }
        return nil
    }

    /// Whether there is a cluster's header here, followed by the elements with which clusters begin.
    private mutating func isCluster(at position: Int64) -> Bool {
        guard let cluster = try? reader.element(at: position, within: limit), cluster.id == .cluster,
            let child = try? reader.element(at: cluster.body, within: cluster.end)
        else { return false }
        return child.id == .timestamp || ElementID.clusterFurniture.contains(child.id)
    }
}
