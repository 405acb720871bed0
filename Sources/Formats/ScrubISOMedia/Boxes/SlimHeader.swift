package import ScrubBase

extension Movie {
    /// Returns the movie without its samples. The result is a small file that a demuxer can open from memory to learn
    /// everything about the streams (coding, extradata, colour, order, disposition, metadata) except their packets.
    ///
    /// The file type box and the movie box are copied child by child. In each track, the tables that grow with the
    /// film, and the edit list, are omitted or replaced by empty ones.
    ///
    /// - Parameters:
    ///   - trackID: the track whose sample entries are reduced to one.
    ///   - sampleEntry: the entry to keep for that track, counted from 0.
    ///   - leavesOutApertures: whether `clap` boxes become padding.
    /// - Throws: ``ScrubError/Code/badData`` if boxes are nested deeper than in any movie.
    package func slimHeader(
        trackID: UInt32? = nil, sampleEntry: Int? = nil, leavesOutApertures: Bool = false
    ) throws(ScrubError) -> [UInt8] {
        var moov = moov
        if leavesOutApertures {
            for box in apertureBoxes {
                moov.replaceSubrange(box.lowerBound + 4..<box.lowerBound + 8, with: "free".utf8)
            }
        }
        var writer = SlimWriter(moov: moov)
        var out = fileType
        let position = tracks.firstIndex { $0.id == trackID && trackID != nil }
        if let position, let sampleEntry, tracks[position].sampleEntries.indices.contains(sampleEntry) {
            writer.keptEntry = tracks[position].sampleEntries[sampleEntry].range
        }
        try writer.copyMovie(to: &out)
        return out
    }
}

extension Movie {
    /// Whether a sample entry has a `clap` box, whatever its contents.
    package var hasApertures: Bool { !apertureBoxes.isEmpty }

    private var apertureBoxes: [Range<Int>] { tracks.flatMap(\.sampleEntries).compactMap(\.apertureBox) }
}

/// Copies a movie box without the parts that grow with the film.
private struct SlimWriter {
    let moov: [UInt8]
    /// The only sample entry to keep in its sample description box.
    var keptEntry: Range<Int>?
    private var quiet: [String] = []

    init(moov: [UInt8]) { self.moov = moov }

    /// The boxes that are entered to omit parts of them.
    private static let containers: Set<FourCC> = [.trak, .mdia, .minf, .stbl]
    /// The boxes that are omitted: padding, and boxes about samples or edits.
    private static let dropped: Set<FourCC> = [
        .free, .skip, .wide, .edts, .ctts, .cslg, .stss, .stps, .sdtp, .sgpd, .sbgp, .subs, .saiz, .saio,
        .senc, "stsh",
        "padb", "stdp", "csgp",
    ]
    /// The boxes that are replaced by empty ones, because a track without them is considered broken.
    private static let emptied: Set<FourCC> = [.stts, .stsc, .stsz, .stz2, .stco, .co64]

    /// The maximum nesting of containers, as in libavformat: `moov/trak/mdia/minf/stbl` are five.
    private static let depthLimit = 10

    mutating func copyMovie(to out: inout [UInt8]) throws(ScrubError) {
        // The buffer contains exactly the movie box, so the only child is that box.
        for box in Box.children(of: moov, in: 0..<moov.count, path: "", warnings: &quiet) {
            try copyContainer(box, depth: 1, to: &out)
        }
    }

    private mutating func copyContainer(_ box: Box, depth: Int, to out: inout [UInt8]) throws(ScrubError) {
        guard depth <= Self.depthLimit else {
            throw ScrubError(
                .badData, "containers are nested more than \(Self.depthLimit) deep",
                place: "moov, byte \(box.range.lowerBound)")
        }
        let start = out.count
        Self.openBox(box.type, in: &out)
        for child in Box.children(of: moov, in: box.body, path: "", warnings: &quiet) {
            if Self.dropped.contains(child.type) { continue }
            if Self.containers.contains(child.type) {
                try copyContainer(child, depth: depth + 1, to: &out)
            } else if Self.emptied.contains(child.type) {
                appendEmptyTable(child.type, to: &out)
            } else if child.type == .stsd, let keptEntry, child.range.contains(keptEntry.lowerBound) {
                let start = out.count
                Self.openBox(.stsd, in: &out)
                out += moov[child.body.lowerBound..<min(child.body.lowerBound + 4, child.body.upperBound)]
                appendBigEndian(1, to: &out)
                out += moov[keptEntry]
                Self.closeBox(from: start, in: &out)
            } else {
                // Copied with a new header, because the claimed size can exceed the actual one.
                let start = out.count
                Self.openBox(child.type, in: &out)
                out += moov[child.body]
                Self.closeBox(from: start, in: &out)
            }
        }
        Self.closeBox(from: start, in: &out)
    }

    /// Appends an empty table: version and flags, then zeros for the counts (8.6.1.2, 8.7.3 to 8.7.5).
    private func appendEmptyTable(_ type: FourCC, to out: inout [UInt8]) {
        let start = out.count
        Self.openBox(type == .stz2 ? .stsz : type == .co64 ? .stco : type, in: &out)
        out += [UInt8](repeating: 0, count: type == .stsz || type == .stz2 ? 12 : 8)
        Self.closeBox(from: start, in: &out)
    }

    private static func openBox(_ type: FourCC, in out: inout [UInt8]) {
        appendBigEndian(0, to: &out)
        appendBigEndian(type.rawValue, to: &out)
    }

    private static func closeBox(from start: Int, in out: inout [UInt8]) {
        let size = UInt32(clamping: out.count - start)
        for (index, byte) in FourCC(rawValue: size).bytes.enumerated() { out[start + index] = byte }
    }
}
