import ScrubBase

/// Announces the reads of a walk through the boxes of a remote movie, so that a few requests suffice.
///
/// Its announcements are guesses and change nothing of the reads themselves. They are the movie box with the beginning
/// of the media behind it, or with the end of the media in front of it. The fragments' headers follow, at the places of
/// an index at the beginning or the end of the file, or all the bytes if they lie close together.
struct MovieReadAhead {
    private let source: any ExpectingSource
    /// The beginnings of fragments, ascending, as far as an index says.
    private var places: [Int64] = []
    /// Bytes of the largest header so far: one that is longer than was announced costs a request of its own.
    private var largest: Int64 = 0
    private var hasLookedForIndex = false
    /// The last fragment: where it begins, and the bytes of its header.
    private var fragment: (offset: Int64, size: Int64)?
    /// Up to where everything was announced.
    private var end: Int64 = 0
    /// The first bytes of media that come before the movie box: the first pictures are inspected once the tables are
    /// there.
    private var beginning: Range<Int64>?

    /// Bytes of the media beside the movie box: the first or last pictures' headers are among them.
    private static let media: Int64 = 64 << 10
    /// The part behind the media is read to the end of the file if it has at most this many bytes.
    private static let tail: Int64 = 16 << 20
    /// Bytes of fragments that are read over and not leapt over: leaping costs a request each.
    private static let nearFragments: Int64 = 256 << 10
    private static let run: Int64 = 8 << 20
    /// Places beyond these are not remembered: a day of half-second fragments has a fifth of them.
    private static let mostPlaces = 1 << 20
    /// Fragments' headers that are announced together.
    private static let window = 64

    /// `nil` for local bytes.
    init?(_ source: any ByteSource) {
        guard let source = source.ifRemote else { return nil }
        self.source = source
    }

    /// Expects that a movie box is read next.
    func expectMovie(_ box: FileBox) {
        expect([box.offset..<box.end + MovieReadAhead.media] + [beginning].compactMap(\.self))
    }

    /// Notes that media were found, and looks at the part behind them next.
    mutating func passMedia(_ box: FileBox, hasMovie: Bool) {
        let left = source.byteCount - box.end
        guard left > 0, fragment == nil else { return }
        // The last pictures are inspected too where the tables follow them.
        if hasMovie {
            expect([box.end..<box.end + min(left, MovieReadAhead.media)])
        } else {
            // Side by side with the tables, so that they cost no delay of their own.
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
        // Within an index they ascend; a file can have half a million indexes.
        if !isBehind { places.sort() }
    }

    /// Expects behind a box a fragment's header, or the boxes that come before one.
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

    /// Whether fragments lie so far apart that all between them costs more than a request.
    private var isSparse: Bool { (distance ?? .max) > MovieReadAhead.nearFragments }
    /// From a fragment to the next one, on the whole.
    private var distance: Int64?
    private var first: Int64?
    private var count: Int64 = 0

    /// Notes that a fragment's header was found.
    mutating func pass(_ box: FileBox) {
        fragment = (box.offset, box.size)
        largest = max(largest, min(box.size, MovieReadAhead.media))
        first = first ?? box.offset
        count += 1
        guard !hasLookedForIndex, places.isEmpty else { return }
        hasLookedForIndex = true
        places = (try? indexAtEnd()) ?? []
    }

    /// Returns the places of the fragments by the index at the file's end (`mfro`, ISO/IEC 14496-12, 8.8.11).
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
