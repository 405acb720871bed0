package import ScrubBase

/// A fragmented movie that is being written. Each of its boxes is read once, when it becomes complete.
///
/// A fragment counts if its `moof` box and the media box after it are completely in the file (ISO/IEC 14496-12, 8.8.4).
/// A box whose size means "to the end of the file" is never complete. The memory and time of a step are in proportion
/// to the new bytes in the file, except for ``sampleTable()``.
package struct GrowingMovie: Sendable {
    /// The movie box, once it is available, without samples.
    package private(set) var movie: Movie?
    /// Whether the box that writers put after the last fragment has been found (`mfra`, 8.8.9).
    package private(set) var isEnded = false
    /// The bytes from the start of the file to the end of the movie box, which a writer may replace when it finishes.
    package private(set) var head: [UInt8] = []

    private var reader: MovieReader?
    /// The start of the next box.
    private var position: Int64 = 0
    /// A fragment whose media is not available yet.
    private var waiting: MovieFragment?
    /// Complete fragments that the followed track has not processed yet.
    private var fresh: [MovieFragment] = []
    private var builder: SampleTableBuilder?
    private var fragmentCount = 0
    private var announcedCount = 0

    /// A larger movie box is not compared byte by byte when the file has grown.
    private static let headLimit: Int64 = 1 << 20

    package init() {}

    /// Whether there are new fragments that are not in any table yet.
    package var hasNews: Bool { !fresh.isEmpty }

    /// Reads the boxes that have become complete.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if no box begins at the position, or if the movie box cannot be read.
    package mutating func extend(to source: any ByteSource) throws(ScrubError) {
        var reader = reader ?? MovieReader(source)
        reader.source = source
        defer { self.reader = reader }
        while let box = try wholeBox(in: source) {
            let hadMovie = reader.hasMovie
            switch box.type {
            case .moof:
                guard hadMovie else { break }
                // The last fragment's media does not follow it.
                flush()
                guard box.size <= 1 << 28 else { throw ScrubError(.badData, "is too large", place: .box("moof")) }
                waiting = MovieFragment(
                    offset: box.offset, bytes: try source.read(at: box.offset, count: Int(box.size)),
                    headerSize: Int(box.headerSize))
            case .mdat: flush()
            default: try reader.visit(box)
            }
            if box.type == .mfra, hadMovie { isEnded = true }
            position = box.end
            guard !hadMovie, reader.hasMovie else { continue }
            try reader.parseMovie()
            movie = reader.movie
            if box.end <= GrowingMovie.headLimit { head = try source.read(at: 0, count: Int(box.end)) }
        }
    }

    /// Chooses the track whose samples are wanted.
    ///
    /// - Throws: the errors of ``Track/sampleTable()``.
    package mutating func follow(_ track: Track) throws(ScrubError) {
        if let damage = track.damage { throw damage }
        var track = track
        track.defaults = reader?.fragments.defaults[track.id]
        var builder = SampleTableBuilder(track: track)
        try builder.addMovieSamples()
        self.builder = builder
    }

    /// Returns the samples so far, as ``Track/sampleTable()`` would for a file that ends here. `nil` while some of the
    /// media of the movie box's own samples is missing.
    ///
    /// Cost: in proportion to the number of samples, a few nanoseconds each.
    ///
    /// - Precondition: a track is followed.
    package mutating func sampleTable() throws(ScrubError) -> SampleTable? {
        guard var builder = self.builder.take(), let reader else { preconditionFailure("no track is being followed") }
        defer { self.builder = builder }
        builder.track.byteCount = reader.source.byteCount
        if builder.isBounded {
            // The file may now have room for more samples.
            builder = SampleTableBuilder(track: builder.track)
            try builder.addMovieSamples()
        }
        guard !builder.isBounded, builder.highestEnd <= reader.source.byteCount else { return nil }
        announce(to: &builder.track, reader)
        if builder.track.isExtended, !fresh.isEmpty {
            if fragmentCount == 0 { builder.table.syncKinds.pad(to: builder.table.count, with: .sync) }
            for fragment in fresh where !builder.isEnded {
                try builder.addFragment(fragment, path: "moof[\(fragmentCount)]")
                fragmentCount += 1
            }
        }
        fresh = []
        return builder.snapshot()
    }

    private mutating func flush() {
        if let fragment = waiting.take() { fresh.append(fragment) }
    }

    /// Returns the box at ``position`` if it is complete.
    private func wholeBox(in source: any ByteSource) throws(ScrubError) -> FileBox? {
        let left = source.byteCount - position
        // An incomplete 64-bit size looks like one that is too small.
        if left >= 8, left < 16, try source.read(at: position, count: 4) == [0, 0, 0, 1] { return nil }
        var walk = FileBoxWalk(source, at: position)
        guard let box = try walk.next(), !box.isTruncated, !box.reachesEnd else { return nil }
        return box
    }

    /// Passes new segment indexes to the track.
    private mutating func announce(to track: inout Track, _ reader: MovieReader) {
        track.fragments.defaults = reader.fragments.defaults
        for index in reader.movie.segmentIndexes[announcedCount...] where index.trackID == track.id {
            for reference in index.references where !reference.isIndex {
                track.fragments.announcedStarts[track.id, default: [:]][reference.offset] = EditMapping.rescale(
                    reference.time, from: index.timescale, to: track.mediaTimescale)
            }
        }
        announcedCount = reader.movie.segmentIndexes.count
        let ends = reader.indexEnds + [position]
        track.fragments.isAnnouncedToTheEnd = reader.movie.segmentIndexes.contains { ends.contains($0.end) }
    }
}
