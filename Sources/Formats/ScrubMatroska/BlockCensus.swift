package import ScrubBase

/// The number of blocks that some tracks have at the start of a file.
///
/// The count goes from header to header and ends at irregular data. It is only used for choosing among tracks; readers
/// that need more detect irregularities themselves.
package struct BlockCensus {
    /// The counts by track number, without tracks that have no blocks.
    package private(set) var counts: [UInt64: Int] = [:]

    /// Counts the blocks.
    ///
    /// - Parameters:
    ///   - numbers: the tracks' numbers.
    ///   - mostBlocks: the maximum number of blocks of all tracks to inspect.
    ///   - enough: the count ends when each of the tracks has this many.
    package init(
        _ segment: MatroskaSegment, source: any ByteSource, of numbers: Set<UInt64>, mostBlocks: Int, enough: Int
    ) {
        var elements = ElementReader(source)
        elements.limits = segment.limits
        // The counts before the irregularity are valid.
        try? count(&elements, segment, numbers, mostBlocks, enough)
    }

    private mutating func count(
        _ elements: inout ElementReader, _ segment: MatroskaSegment, _ numbers: Set<UInt64>, _ mostBlocks: Int,
        _ enough: Int
    ) throws(ScrubError) {
        var (place, seen, elementCount) = (segment.firstCluster, 0, 0)
        while seen < mostBlocks, elementCount < 16 * mostBlocks {
            elementCount += 1
            guard let element = try elements.element(at: place, within: segment.end) else { return }
            switch element.id {
            // Their children are where they would be without them.
            case .cluster, .blockGroup: place = element.body
            case .simpleBlock, .block:
                guard let end = element.end else { return }
                let length = Int(min(end - element.body, Int64(BlockHeader.maximumLength)))
                guard end <= elements.byteCount else { return }
                try elements.fill(at: element.body, count: length)
                guard let header = BlockHeader(elements.span(at: element.body, count: length)) else { return }
                seen += 1
                if numbers.contains(header.track) { counts[header.track, default: 0] += 1 }
                if counts.count == numbers.count, counts.values.allSatisfy({ $0 >= enough }) { return }
                place = end
            default:
                guard let end = element.end else { return }
                place = end
            }
        }
    }
}
