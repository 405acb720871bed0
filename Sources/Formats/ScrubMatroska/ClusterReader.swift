package import ScrubBase

/// Finds clusters in parts of a segment, and reads their timestamps.
package struct ClusterReader: Sendable {
    /// A cluster that was read.
    package struct Cluster: Sendable, Equatable {
        /// The offset in the file.
        package let offset: Int64
        /// The timestamp in units of the segment's TimestampScale (RFC 9559, 5.1.3.1).
        package let time: Int64
    }

    private var elements: ElementReader
    private let search: BlockReader
    private let first: Int64
    private let segmentEnd: Int64?
    /// The offset after which there are no clusters.
    package let end: Int64
    /// The number of bytes of the first cluster; `nil` if its size is unknown.
    package private(set) var firstLength: Int64?

    /// The maximum number of elements before a cluster's timestamp.
    private static let maximumFurniture = 8

    package init(_ segment: MatroskaSegment, reading source: any ByteSource) {
        elements = ElementReader(source)
        elements.limits = segment.limits
        search = BlockReader(segment, track: 0, source: source, headSize: 0)
        (first, segmentEnd) = (segment.firstCluster, segment.end)
        end = min(source.byteCount, segment.end ?? .max)
        if let cluster = try? elements.element(at: first, within: segmentEnd) {
            firstLength = cluster.end.map { $0 - cluster.start }
        }
    }

    /// Returns the first cluster in a range of the file.
    ///
    /// The cluster is recognized by its identifier. Bytes of a payload could look the same, with a probability of 2^-32
    /// for each byte. A reader of the blocks from there notices it.
    package mutating func firstCluster(in range: Range<Int64>) throws(ScrubError) -> Cluster? {
        guard let offset = search.clusterPlace(from: range.lowerBound, before: range.upperBound) else { return nil }
        return try cluster(at: offset)
    }

    /// Returns the last cluster in a range of the file.
    package mutating func lastCluster(in range: Range<Int64>) throws(ScrubError) -> Cluster? {
        var (place, last): (Int64, Int64?) = (range.lowerBound, nil)
        while let found = search.clusterPlace(from: place, before: range.upperBound) {
            (last, place) = (found, found + 4)
        }
        return try last.flatMap { (offset) throws(ScrubError) in try cluster(at: offset) }
    }

    /// Returns the cluster at an offset; `nil` if there is none.
    package mutating func cluster(at offset: Int64) throws(ScrubError) -> Cluster? {
        guard offset >= first, offset < end else { return nil }
        do throws(ScrubError) {
            return try timestamp(at: offset).map { Cluster(offset: offset, time: $0) }
        } catch {
            guard error.code == .badData else { throw error }
            return nil
        }
    }

    private mutating func timestamp(at offset: Int64) throws(ScrubError) -> Int64? {
        guard let cluster = try elements.element(at: offset, within: segmentEnd), cluster.id == .cluster else {
            return nil
        }
        var place = cluster.body
        for _ in 0..<ClusterReader.maximumFurniture {
            guard let child = try elements.element(at: place, within: cluster.end), let end = child.end else {
                return nil
            }
            if child.id == .timestamp { return Int64(exactly: try elements.unsigned(child)) }
            guard ElementID.clusterFurniture.contains(child.id) else { return nil }
            place = end
        }
        return nil
    }
}
