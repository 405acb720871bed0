package import ScrubBase

/// The number of blocks that some tracks have at the beginning of a file.
///
/// Headers are leapt over one by one. Odd data end the count: it is for choosing among tracks, and walks that need more
/// find out by themselves.
package struct BlockCensus {
    /// By the track's number; tracks of which no block was seen are left out.
    package private(set) var counts: [UInt64: Int] = [:]

    /// Counts.
    ///
    /// - Parameters:
    ///   - numbers: the tracks' numbers.
    ///   - mostBlocks: blocks of all tracks that are inspected.
    ///   - enough: the count ends where all of the tracks have so many.
    package init(
        _ segment: MatroskaSegment, source: any ByteSource, of numbers: Set<UInt64>, mostBlocks: Int, enough: Int
    ) {
        var elements = ElementReader(source)
        elements.limits = segment.limits
        // The counts until something is odd are valid.
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
            // Their children are where they would without them.
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
