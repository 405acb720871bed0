import ScrubBase

/// Goes through the boxes of a file and reads those that describe the movie.
struct MovieReader {
    /// The source of the bytes, replaced by a longer one when the file grows.
    var source: any ByteSource
    private(set) var movie = Movie()
    var fragments = FragmentList()
    private(set) var indexEnds: [Int64] = []
    private(set) var hasMovie = false
    private var strayFragments = 0
    private var moovHeaderSize = 0
    /// The first movie box's tracks, once a second movie box must be compared with them; a file can have a million
    /// movie boxes.
    private var firstTrackIDs: [UInt32]?
    /// For a remote file.
    private var ahead: MovieReadAhead?
    private var learntIndexes = 0
    /// Whether a second film may have begun because another file type box was found.
    private var hasSecondFileType = false
    /// The offset at which the first movie box was repeated byte for byte after a file type box. This happens with
    /// concatenated segments and with films that are in the file twice. Fragments show which is the case.
    private var repeatedAt: Int64?
    /// When the first fragment begins, by track.
    private var firstStarts: [UInt32: UInt64]?
    /// The number of movie boxes that are skipped and reported. The first one is described.
    private var leftOut = 0

    /// The maximum number of boxes to read in a file; a day of half-second fragments has a third of this.
    private static let maximumBoxes = 1 << 20

    /// The boxes whose sizes are trusted if the file ends before they do. Anything else may be unrelated bytes after
    /// the movie.
    private static let promises: Set<FourCC> = [.mdat, .moof, .mfra, .sidx, .styp, .free, .skip, .uuid, "meta"]

    init(_ source: any ByteSource) {
        self.source = source
        ahead = MovieReadAhead(source)
    }

    mutating func read() throws(ScrubError) -> Movie {
        try walk()
        guard hasMovie else {
            throw ScrubError(
                .badData, "has no movie box (moov), so its pictures cannot be located",
                advice: "the file is unfinished or truncated: finish the recording or copy the file again")
        }
        if leftOut > 1 { say("\(leftOut - 1) more movie boxes are ignored") }
        if strayFragments > 0 {
            movie.warnings.append("\(strayFragments) fragments before the movie box are ignored")
        }
        try parseMovie()
        finishFragments()
        return movie
    }

    private mutating func walk() throws(ScrubError) {
        var walk = FileBoxWalk(source)
        var count = 0
        while true {
            let next: FileBox?
            do throws(ScrubError) {
                next = try walk.next()
            } catch  where error.code == .badData {
                // The bytes after the last complete box come from truncation or padding. The results so far remain
                // valid.
                movie.warnings.append(error.sentence)
                return
            }
            guard let box = next else { return }
            count += 1
            guard count <= Self.maximumBoxes else {
                movie.warnings.append("the file has more than \(Self.maximumBoxes) boxes: the rest are ignored")
                return
            }
            try visit(box)
            prepare(after: box)
        }
    }

    /// Announces the reads after a box.
    private mutating func prepare(after box: FileBox) {
        guard ahead != nil else { return }
        if box.type == .moof { ahead?.pass(box) }
        if movie.segmentIndexes.count > learntIndexes, let index = movie.segmentIndexes.last {
            ahead?.learn(index)
            learntIndexes = movie.segmentIndexes.count
        }
        if !fragments.items.isEmpty, box.end < source.byteCount {
            ahead?.expectFragment(behind: box)
        } else if box.type == .mdat {
            ahead?.passMedia(box, hasMovie: hasMovie)
        }
    }

    mutating func visit(_ box: FileBox) throws(ScrubError) {
        if box.isUnwritten { movie.unwrittenFrom = box.offset }
        if Self.promises.contains(box.type) { movie.missingBytes = max(movie.missingBytes, box.missingBytes) }
        switch box.type {
        case .ftyp:
            hasSecondFileType = hasMovie
            guard movie.fileType.isEmpty, box.size <= 1 << 16, !box.isTruncated else { return }
            movie.fileType = try content(of: box)
            if box.size >= box.headerSize + 4 {
                movie.majorBrand = FourCC(rawValue: bigEndian32(movie.fileType.span, at: Int(box.headerSize)))
            }
        case .moov: try visitMovie(box)
        case .moof:
            guard hasMovie else {
                strayFragments += 1
                return
            }
            guard !box.isTruncated, box.size <= 1 << 28 else {
                movie.warnings.append("the fragment at byte \(box.offset) is truncated")
                return
            }
            let bytes = try content(of: box)
            try BoxPlacement.check(
                bytes, in: Int(box.headerSize)..<bytes.count, of: .moof, path: "the fragment at byte \(box.offset)")
            fragments.items.append(
                MovieFragment(offset: box.offset, bytes: bytes, headerSize: Int(box.headerSize)))
            noteStarts(bytes, Int(box.headerSize))
        case .sidx:
            guard !box.isTruncated, box.size <= 1 << 21 else { return }
            do throws(ScrubError) {
                let index = try SegmentIndex(
                    try content(of: box), headerSize: Int(box.headerSize), end: box.end)
                movie.segmentIndexes.append(index)
            } catch {
                movie.warnings.append(error.sentence)
            }
        case .mfra:
            guard !box.isTruncated, box.size <= 1 << 26 else { return }
            movie.randomAccessHints = RandomAccessHint.tables(
                in: try content(of: box), headerSize: Int(box.headerSize), warnings: &movie.warnings)
            indexEnds.append(box.offset)
        case .traf, .tfhd, .trun, .trak, .mdia, .minf, .stbl, .edts, .mvex:
            // libavformat reads these boxes wherever they are, and then finds different media.
            throw ScrubError(
                .badData, "has a \(box.type) box outside the movie and its fragments", place: .byte(Int64(box.offset)))
        default:
            if box.isTruncated {
                movie.warnings.append("the \(box.type) box at byte \(box.offset) is truncated")
            }
        }
    }

    private mutating func visitMovie(_ box: FileBox) throws(ScrubError) {
        guard !box.isTruncated else {
            throw ScrubError(
                .badData, "extends past the end of the file", place: .box("moov"),
                advice: "the file is incomplete: copy or download it again")
        }
        try source.limiting { (limits) throws(ScrubError) in
            try limits.check(.tableBytes, Int(clamping: box.size), "its size", place: .box("moov"))
        }
        ahead?.expectMovie(box)
        let bytes = try content(of: box)
        guard hasMovie else {
            hasMovie = true
            movie.moov = bytes
            moovHeaderSize = Int(box.headerSize)
            return
        }
        // Concatenated segments repeat their header. A complete film after another one has its own samples in its box.
        guard bytes != movie.moov || hasSecondFileType && !Self.isFragmented(bytes, Int(box.headerSize)) else {
            if hasSecondFileType, repeatedAt == nil { repeatedAt = box.offset }
            return
        }
        leftOut += 1
        guard leftOut == 1 else { return }
        let first = firstTrackIDs ?? Self.trackIDs(movie.moov, moovHeaderSize)
        firstTrackIDs = first
        let hasSame = Self.trackIDs(bytes, Int(box.headerSize)) == first
        say(
            "the second movie box at byte \(box.offset) has \(hasSame ? "the same" : "different") tracks and is ignored: "
                + "two videos are joined in this file, and only the first is read")
    }

    /// Adds a warning about a skipped part of the file.
    private mutating func say(_ omission: String) {
        movie.warnings.append(omission)
        movie.omissions.append(omission)
    }

    /// Adds a warning, once, that a film begins again after a repeated movie box.
    private mutating func noteStarts(_ bytes: [UInt8], _ headerSize: Int) {
        guard let first = firstStarts else {
            firstStarts = Self.starts(bytes, headerSize)
            return
        }
        guard let repeated = repeatedAt, leftOut == 0,
            Self.starts(bytes, headerSize).contains(where: { start in
                first[start.key].map { start.value <= $0 } ?? false
            })
        else { return }
        leftOut = 1
        say(
            "the second movie box at byte \(repeated) has the same tracks, and fragment times start over: two videos "
                + "are joined in this file, and only the first is read")
    }

    /// Returns the times at which a fragment's tracks begin (`tfdt`, ISO/IEC 14496-12, 8.8.12).
    private static func starts(_ bytes: [UInt8], _ headerSize: Int) -> [UInt32: UInt64] {
        var quiet: [String] = []
        var starts: [UInt32: UInt64] = [:]
        for traf in Box.children(of: bytes, in: headerSize..<bytes.count, path: "moof", warnings: &quiet)
        where traf.type == .traf {
            let boxes = Box.children(of: bytes, in: traf.body, path: "moof/traf", warnings: &quiet)
            guard let header = boxes.first(where: { $0.type == .tfhd }),
                let time = boxes.first(where: { $0.type == "tfdt" }), header.body.count >= 8, time.body.count >= 8
            else { continue }
            let (span, at) = (bytes.span, time.body.lowerBound)
            let isLong = span[at] == 1
            guard !isLong || time.body.count >= 12 else { continue }
            starts[bigEndian32(span, at: header.body.lowerBound + 4)] =
                isLong ? bigEndian64(span, at: at + 4) : UInt64(bigEndian32(span, at: at + 4))
        }
        return starts
    }

    private func content(of box: FileBox) throws(ScrubError) -> [UInt8] {
        try source.read(at: box.offset, count: Int(box.size))
    }

    private static func isFragmented(_ bytes: [UInt8], _ headerSize: Int) -> Bool {
        var quiet: [String] = []
        return Box.children(of: bytes, in: headerSize..<bytes.count, path: "moov", warnings: &quiet).contains {
            $0.type == .mvex
        }
    }

    private static func trackIDs(_ bytes: [UInt8], _ headerSize: Int) -> [UInt32] {
        var quiet: [String] = []
        var ids: [UInt32] = []
        for box in Box.children(of: bytes, in: headerSize..<bytes.count, path: "moov", warnings: &quiet)
        where box.type == .trak {
            var parser = TrackParser(bytes: bytes, position: ids.count, movieTimescale: 1, byteCount: 0)
            parser.parse(box)
            ids.append(parser.track.id)
        }
        return ids
    }

    /// Reads the children of the movie box (ISO/IEC 14496-12, 8.2).
    mutating func parseMovie() throws(ScrubError) {
        let bytes = movie.moov
        let children = Box.children(
            of: bytes, in: moovHeaderSize..<bytes.count, path: "moov", warnings: &movie.warnings)
        if children.contains(where: { $0.type == .cmov }) {
            throw ScrubError(
                .unavailable, "its movie box is compressed, which is not supported", place: .box("moov/cmov"),
                advice: "rewrite the file: ffmpeg -i IN -c copy OUT.mov")
        }
        try BoxPlacement.check(bytes, in: moovHeaderSize..<bytes.count, of: .moov, path: "moov")
        if let header = children.first(where: { $0.type == .mvhd }) { try parseMovieHeader(header) }
        for child in children where child.type == .mvex {
            movie.isFragmented = true
            for part in Box.children(of: bytes, in: child.body, path: "moov/mvex", warnings: &movie.warnings) {
                let span = bytes.span
                if part.type == "mehd", part.body.count >= 8 {
                    let isLong = span[part.body.lowerBound] == 1
                    guard !isLong || part.body.count >= 12 else { continue }
                    movie.announcedDuration =
                        isLong
                        ? bigEndian64(span, at: part.body.lowerBound + 4)
                        : UInt64(bigEndian32(span, at: part.body.lowerBound + 4))
                }
                guard part.type == .trex, part.body.count >= 24 else { continue }
                let at = part.body.lowerBound
                let id = bigEndian32(span, at: at + 4)
                fragments.defaults[id] =
                    fragments.defaults[id]
                    ?? TrackDefaults(
                        trackID: id, descriptionIndex: bigEndian32(span, at: at + 8),
                        duration: bigEndian32(span, at: at + 12), size: bigEndian32(span, at: at + 16),
                        flags: bigEndian32(span, at: at + 20))
            }
        }
        try source.limiting { (limits) throws(ScrubError) in
            try limits.check(.streams, children.count { $0.type == .trak }, "tracks", place: .box("moov"))
        }
        for child in children where child.type == .trak {
            var parser = TrackParser(
                bytes: bytes, position: movie.tracks.count, movieTimescale: movie.timescale,
                byteCount: source.byteCount)
            parser.parse(child)
            movie.tracks.append(parser.track)
            movie.warnings += parser.warnings
        }
    }

    /// Parses the movie header (ISO/IEC 14496-12, 8.2.2).
    private mutating func parseMovieHeader(_ box: Box) throws(ScrubError) {
        do throws(ScrubError) {
            let header = try box.fullHeader(in: movie.moov)
            let moov = movie.moov
            var cursor = ByteCursor(moov.span.extracting(header.fields))
            try cursor.skip(header.version == 1 ? 16 : 8)
            movie.timescale = try cursor.readUInt32()
            movie.duration = header.version == 1 ? try cursor.readUInt64() : UInt64(try cursor.readUInt32())
            // Rate, volume, reserved.
            try cursor.skip(16)
            var matrix: [Int32] = []
            for _ in 0..<9 { matrix.append(Int32(bitPattern: try cursor.readUInt32())) }
            movie.matrix = matrix
        } catch {
            throw error.inBox("moov/mvhd")
        }
        if movie.timescale == 0 {
            movie.warnings.append("moov/mvhd: the timescale is 0")
            movie.timescale = 1
        }
    }

    /// Passes the fragments to the tracks and reports which announced ones are missing.
    private mutating func finishFragments() {
        movie.fragmentCount = fragments.items.count
        if movie.fragmentCount > 0 { movie.isFragmented = true }
        let ends: Set<Int64> = Set([source.byteCount] + indexEnds)
        // Looked up for every index; of several tracks with the same number, the first one is used.
        let scales = Dictionary(
            movie.tracks.map { ($0.id, $0.mediaTimescale) }, uniquingKeysWith: { first, _ in first })
        for index in movie.segmentIndexes {
            let whole = index.wholeCount(byteCount: source.byteCount)
            if whole < index.references.count {
                movie.warnings.append(
                    "sidx declares \(index.references.count) subsegments, but the file has \(whole)")
            }
            if ends.contains(index.end) { fragments.isAnnouncedToTheEnd = true }
            guard let timescale = scales[index.trackID] else { continue }
            for reference in index.references where !reference.isIndex {
                let time = EditMapping.rescale(
                    reference.time, from: index.timescale, to: timescale)
                fragments.announcedStarts[index.trackID, default: [:]][reference.offset] = time
            }
        }
        for position in movie.tracks.indices {
            movie.tracks[position].defaults = fragments.defaults[movie.tracks[position].id]
            movie.tracks[position].fragments = fragments
        }
    }
}
