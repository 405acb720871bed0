import ScrubISOMedia

/// A box with its header.
func box(_ type: FourCC, _ parts: [UInt8]...) -> [UInt8] {
    let body = parts.flatMap { $0 }
    return be32(8 + body.count) + type.bytes + body
}

/// A full box: version and flags before the content.
func fullBox(_ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ parts: [UInt8]...) -> [UInt8] {
    box(type, be32(Int(UInt32(version) << 24 | flags)), parts.flatMap { $0 })
}

func be16(_ value: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
}
func be32(_ value: Int) -> [UInt8] { be16(value >> 16) + be16(value) }
func be64(_ value: Int64) -> [UInt8] { be32(Int(value >> 32)) + be32(Int(truncatingIfNeeded: value)) }
func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

/// A small movie with one track of pictures, every table of which can be replaced.
struct MovieBuilder {
    var brand: FourCC = "isom"
    var movieTimescale = 1000
    var mediaTimescale = 30_000
    var handler: FourCC = "vide"
    var format: FourCC = "hvc1"
    var depth = 24
    var entryBoxes: [UInt8] = MovieBuilder.hvcC
    /// Sizes of the samples.
    var sizes: [Int] = []
    /// Runs of decode deltas.
    var deltas: [(count: Int, delta: Int)] = []
    /// Runs of composition offsets, no box when nil.
    var offsets: [(count: Int, offset: Int)]?
    /// Sync samples counted from 1, no box when nil.
    var sync: [Int]?
    /// Rows of the edit list, no box when nil.
    var edits: [(duration: Int, time: Int)]?
    var editVersion: UInt8 = 0
    /// The number of samples in a chunk.
    var chunk = 4
    /// More boxes in the sample table.
    var extraTables: [UInt8] = []
    /// More boxes in the movie box, after the track.
    var extraMovie: [UInt8] = []
    /// Replacements of whole tables, by type; an empty array leaves the table out.
    var replaced: [FourCC: [UInt8]] = [:]
    /// More entries in the sample description box.
    var extraEntries: [[UInt8]] = []
    /// The boxes behind the movie and its media: fragments.
    var tail: [UInt8] = []

    /// The beginning of the media data.
    var mediaStart: Int { fileType.count + 8 }
    /// The beginning of the movie box.
    var movieStart: Int { mediaStart + sizes.reduce(0, +) }

    var fileType: [UInt8] { box("ftyp", brand.bytes, zeros(4), ("isom" as FourCC).bytes) }

    /// The file: file type, media, movie, tail.
    var bytes: [UInt8] {
        let media = (0..<sizes.reduce(0, +)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        return fileType + box("mdat", media) + movie + tail
    }

    var movie: [UInt8] {
        box("moov", movieHeader, track, extraMovie)
    }

    var movieHeader: [UInt8] {
        fullBox(
            "mvhd", zeros(8), be32(movieTimescale), be32(10_000), be32(0x1_0000), be16(0x100), zeros(10),
            Self.identity, zeros(24), be32(2))
    }

    static var identity: [UInt8] {
        [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].flatMap { be32($0) }
    }

    var track: [UInt8] {
        let header = fullBox(
            "tkhd", flags: 3, zeros(8), be32(1), zeros(4), be32(10_000), zeros(8), zeros(8), Self.identity,
            be32(320 << 16), be32(240 << 16))
        let media = box(
            "mdia", fullBox("mdhd", zeros(8), be32(mediaTimescale), be32(100_000), zeros(4)),
            fullBox("hdlr", zeros(4), handler.bytes, zeros(13)), information)
        return box("trak", header, editBox, media)
    }

    var editBox: [UInt8] {
        guard let edits else { return [] }
        let rows = edits.flatMap { edit -> [UInt8] in
            editVersion == 1
                ? be64(Int64(edit.duration)) + be64(Int64(edit.time)) + be32(0x1_0000)
                : be32(edit.duration) + be32(edit.time) + be32(0x1_0000)
        }
        return box("edts", fullBox("elst", version: editVersion, be32(edits.count), rows))
    }

    var information: [UInt8] {
        let dataReference = box("dinf", fullBox("dref", be32(1), fullBox("url ", flags: 1)))
        return box(
            "minf", fullBox("vmhd", flags: 1, zeros(8)), dataReference, box("stbl", tables, extraTables))
    }

    static func visualEntry(_ format: FourCC, depth: Int = 24, boxes: [UInt8] = []) -> [UInt8] {
        box(
            format, zeros(6), be16(1), zeros(16), be16(320), be16(240), be32(0x48_0000), be32(0x48_0000),
            zeros(4),
            be16(1), zeros(32), be16(depth), be16(0xFFFF), boxes)
    }

    /// A configuration that a demuxer accepts, without parameter sets.
    static var hvcC: [UInt8] { box("hvcC", [1, 1] + zeros(20) + [0]) }

    var tables: [UInt8] {
        let all: [(FourCC, [UInt8])] = [
            (
                "stsd",
                fullBox(
                    "stsd", be32(1 + extraEntries.count),
                    Self.visualEntry(format, depth: depth, boxes: entryBoxes),
                    extraEntries.flatMap { $0 })
            ),
            ("stts", fullBox("stts", be32(deltas.count), deltas.flatMap { be32($0.count) + be32($0.delta) })),
            (
                "ctts",
                offsets.map {
                    fullBox("ctts", be32($0.count), $0.flatMap { be32($0.count) + be32($0.offset) })
                }
                    ?? []
            ),
            ("stss", sync.map { fullBox("stss", be32($0.count), $0.flatMap { be32($0) }) } ?? []),
            ("stsc", chunkRuns),
            ("stsz", fullBox("stsz", be32(0), be32(sizes.count), sizes.flatMap { be32($0) })),
            ("stco", fullBox("stco", be32(chunkStarts.count), chunkStarts.flatMap { be32($0) })),
        ]
        return all.flatMap { replaced[$0.0] ?? $0.1 }
    }

    var chunkRuns: [UInt8] {
        guard !sizes.isEmpty else { return fullBox("stsc", be32(0)) }
        let rest = sizes.count % chunk
        let whole = sizes.count / chunk
        var rows: [[Int]] = []
        if whole > 0 { rows.append([1, chunk, 1]) }
        if rest > 0 { rows.append([whole + 1, rest, 1]) }
        return fullBox("stsc", be32(rows.count), rows.flatMap { $0.flatMap { be32($0) } })
    }

    var chunkStarts: [Int] {
        var starts: [Int] = []
        var place = mediaStart
        for (index, size) in sizes.enumerated() {
            if index % chunk == 0 { starts.append(place) }
            place += size
        }
        return starts
    }

    /// A movie of `count` samples with a key every `group` samples and an I b B b P pattern of offsets.
    static func film(count: Int, group: Int = 12, reordered: Bool = true) -> MovieBuilder {
        var movie = MovieBuilder()
        movie.sizes = (0..<count).map { 20 + $0 % 7 }
        movie.deltas = [(count, 1000)]
        movie.sync = stride(from: 1, through: count, by: group).map { $0 }
        if reordered {
            movie.offsets = (0..<count).map { sample in
                (1, [1000, 3000, 1000, 0][sample % group == 0 ? 0 : 1 + (sample % group - 1) % 3])
            }
        }
        return movie
    }
}
