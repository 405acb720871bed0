import ScrubBase

/// Announces the reads of a walk through the boxes of a remote movie, so that a few requests suffice.
///
/// Announcements are guesses and do not change the reads themselves. They cover the movie box with the start of the
/// media after it or the end of the media before it. The fragments' headers follow, at the offsets in an index at the
/// start or end of the file, or all bytes if the headers are close together.
struct MovieReadAhead {
    private let source: any ReadAnnouncingSource
    /// The offsets of fragments, in ascending order, as far as an index specifies them.
    private var places: [Int64] = []
    /// The size of the largest header so far, because a header longer than announced costs a separate request.
    private var largest: Int64 = 0
    private var hasLookedForIndex = false
    /// The last fragment's offset and header size.
    private var fragment: (offset: Int64, size: Int64)?
    /// The end of the bytes announced so far.
    private var end: Int64 = 0
    /// The first bytes of media that come before the movie box: the first pictures are inspected once the tables have
    /// been read.
    private var beginning: Range<Int64>?

    /// The number of bytes of media to read next to the movie box, which include the first or last pictures' headers.
    private static let media: Int64 = 64 << 10
    /// If the part after the media has at most this many bytes, it is read to the end of the file.
    private static let tail: Int64 = 16 << 20
    /// The size up to which fragments are read through rather than skipped, because each skip costs a request.
    private static let nearFragments: Int64 = 256 << 10
    private static let run: Int64 = 8 << 20
    /// The maximum number of offsets to remember; a day of half-second fragments has a fifth of this.
    private static let mostPlaces = 1 << 20
    /// The number of fragment headers that are announced together.
    private static let window = 64

    /// `nil` for local bytes.
    init?(_ source: any ByteSource) {
        guard let source = source.ifRemote else { return nil }
        self.source = source
    }

    /// Announces that a movie box is read next.
    func expectMovie(_ box: FileBox) {
        expect([box.offset..<box.end + MovieReadAhead.media] + [beginning].compactMap(\.self))
    }

    /// Records that media was found, and announces the part after it.
    mutating func passMedia(_ box: FileBox, hasMovie: Bool) {
        let left = source.byteCount - box.end
        guard left > 0, fragment == nil else { return }
        // The last pictures are inspected too if the tables follow them.
        if hasMovie {
            expect([box.end..<box.end + min(left, MovieReadAhead.media)])
        } else {
            // Read in parallel with the tables, so that they add no delay.
            beginning = beginning ?? box.offset..<max(box.offset, min(box.end, MovieReadAhead.media))
            let next =
                left <= MovieReadAhead.tail
                ? max(0, box.end - MovieReadAhead.media)..<source.byteCount : box.end..<box.end + MovieReadAhead.media
            expect([next] + [beginning].compactMap(\.self))
        }
    }

    /// Records where an index says that fragments are.
    mutating func learn(_ index: SegmentIndex) {
        guard places.count < MovieReadAhead.mostPlaces else { return }
        let isBehind = (places.last ?? 0) <= (index.references.first?.offset ?? 0)
        places += index.references.map(\.offset)
        // Within an index they are in ascending order; a file can have half a million indexes.
        if !isBehind { places.sort() }
    }

    /// Announces a fragment's header after a box, or the boxes that precede one.
    mutating func expectFragment(behind box: FileBox) {
        let position = box.end
        if box.type == .mdat, let first { distance = (box.end - first) / count }
        guard position >= end else { return }
        let size = (fragment == nil ? 4096 : largest + largest / 4) + 1024
        let first = places.partitioningIndex { $0 >= position }
        if first < places.count, places[first] == position, isSparse {
            let next = places[first...].prefix(MovieReadAhead.window)
            expect(next.map { $0..<min($0 + size, source.byteCount) })
            end = (next.last ?? position) + 1
        } else {
            let length = isSparse ? size : MovieReadAhead.run
            expect([position..<position + length])
            end = position + length
        }
    }

    /// Whether fragments are so far apart that reading everything between them costs more than a request.
    private var isSparse: Bool { (distance ?? .max) > MovieReadAhead.nearFragments }
    /// The average distance from one fragment to the next.
    private var distance: Int64?
    private var first: Int64?
    private var count: Int64 = 0

    /// Records that a fragment's header was found.
    mutating func pass(_ box: FileBox) {
        fragment = (box.offset, box.size)
        largest = max(largest, min(box.size, MovieReadAhead.media))
        first = first ?? box.offset
        count += 1
        guard !hasLookedForIndex, places.isEmpty else { return }
        hasLookedForIndex = true
        places = (try? indexAtEnd()) ?? []
    }

    /// Returns the offsets of the fragments according to the index at the file's end (`mfro`, ISO/IEC 14496-12,
    /// 8.8.11).
    private func indexAtEnd() throws(ScrubError) -> [Int64] {
        let count = source.byteCount
        guard count > MovieReadAhead.media else { return [] }
        expect([count - MovieReadAhead.media..<count])
        let last = try source.read(at: count - 16, count: 16)
        guard bigEndian32(last.span, at: 0) == 16, bigEndian32(last.span, at: 4) == ("mfro" as FourCC).rawValue else {
            return []
        }
        let size = Int64(bigEndian32(last.span, at: 12))
        guard size > 24, size <= 1 << 24, size <= count else { return [] }
        expect([count - size..<count])
        var quiet: [String] = []
        let tables = RandomAccessHint.tables(
            in: try source.read(at: count - size, count: Int(size)), headerSize: 8, warnings: &quiet)
        return Set(tables.values.joined().compactMap { Int64(exactly: $0.moofOffset) }).sorted()
    }

    private func expect(_ ranges: [Range<Int64>]) {
        source.expect(ranges.map { $0.clamped(to: 0..<source.byteCount) })
    }
}
