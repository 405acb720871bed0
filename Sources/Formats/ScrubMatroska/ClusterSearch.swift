import ScrubBase

extension BlockReader {
    /// Looks for a place where a cluster seems to begin, so that a second walk can set out from there.
    ///
    /// It is a guess: a payload may hold the same bytes. Only a walk that comes to that very place from before, and is
    /// between two clusters there, shows that it is one.
    ///
    /// - Parameters:
    ///   - start: the first place that is inspected.
    ///   - end: the place at which to give up.
    /// - Returns: `nil` if none is found, or the file can't be read.
    package func clusterPlace(from start: Int64, before end: Int64) -> Int64? {
        let end = min(end, elements.byteCount, segmentEnd ?? .max)
        var search = ClusterSearch(reader: elements.fresh(), limit: segmentEnd)
        return try? search.place(from: start, before: end)
    }
}

/// Looks for clusters by their identifier (RFC 9559, 5.1.3).
private struct ClusterSearch {
    var reader: ElementReader
    /// The end of the segment.
    let limit: Int64?

    private static let piece: Int64 = 128 << 10
    /// After this many that only look like one, the file was made to waste time.
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
                // The look has read elsewhere.
                try reader.fill(at: position, count: count)
                from = found + 1
            }
            position += Int64(count - 3)
        }
        return nil
    }

    /// Returns the identifier's first place: only each fourth byte is inspected until it is one of the four.
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

    /// Whether a cluster's header is here, and after it the elements with which clusters begin.
    private mutating func isCluster(at position: Int64) -> Bool {
        guard let cluster = try? reader.element(at: position, within: limit), cluster.id == .cluster,
            let child = try? reader.element(at: cluster.body, within: cluster.end)
        else { return false }
        return child.id == .timestamp || ElementID.clusterFurniture.contains(child.id)
    }
}
