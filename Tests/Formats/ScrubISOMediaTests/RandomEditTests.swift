import Foundation
import ScrubISOMedia
import ScrubBase
import ScrubTestSupport
import Testing

/// Compares made-up edit lists and fragments with the packets that ffprobe demuxes. Runs together with ``CorpusTests``.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SCRUB_CORPUS"] != nil))
struct RandomEditTests {
    @Test(arguments: 0..<150)
    func editsAgreeWithFFprobe(seed: Int) throws {
        var random = SplitMix(UInt64(seed))
        try compare(MovieBuilder.random(&random, fragments: false), "edits-\(seed)")
    }

    @Test(arguments: 0..<60)
    func fragmentsAgreeWithFFprobe(seed: Int) throws {
        var random = SplitMix(UInt64(seed + 1000))
        try compare(MovieBuilder.random(&random, fragments: true), "fragments-\(seed)")
    }

    private func compare(_ builder: MovieBuilder, _ name: String) throws {
        let bytes = builder.bytes
        let folder = try TemporaryFolder()
        let file = try folder.write(bytes, to: "movie.mp4")
        let theirs = try Process.lines(
            "ffprobe",
            [
                "-v", "quiet", "-probesize", "32", "-show_entries", "packet=pts,dts,size,pos,flags", "-of",
                "csv=p=0",
                file,
            ]
        )
        .map { line in
            // Since FFmpeg 6 a third flag follows the two, for damage.
            let flags = line.split(separator: ",").last ?? ""
            return String(line.dropLast(max(0, flags.count - 2)))
        }
        let movie = try Movie(reading: MemorySource(bytes))
        let track = try #require(movie.tracks.first)
        let table = try track.sampleTable()
        let sequence = try EditMapping.sequence(
            of: table, edits: track.edits, movieTimescale: movie.timescale,
            mediaTimescale: track.mediaTimescale)
        let ours = (0..<sequence.count).map { entry in
            let sample = Int(sequence.sampleIndex[entry])
            let flags = (table.isKey(sample) ? "K" : "_") + (sequence.discarded[entry] ? "D" : "_")
            return
                "\(sequence.pts[entry]),\(sequence.dts[entry]),\(table.sizes[sample]),\(table.offsets[sample]),\(flags)"
        }
        let difference = zip(ours, theirs).enumerated().first { $0.element.0 != $0.element.1 }
        let story =
            "edits \(track.edits.map { ($0.segmentDuration, $0.mediaTime) }), first difference \(String(describing: difference))"
        let isEqual = ours == theirs
        #expect(isEqual, "\(name): \(ours.count) and \(theirs.count) packets, \(story)")
    }
}

extension MovieBuilder {
    /// A movie with random tables, edits and, when asked for, fragments.
    static func random(_ random: inout SplitMix, fragments: Bool) -> MovieBuilder {
        let count = fragments && Bool.random(using: &random) ? 0 : Int.random(in: 3...80, using: &random)
        var movie = MovieBuilder.film(
            count: count, group: Int.random(in: 1...15, using: &random),
            reordered: Int.random(in: 0..<3, using: &random) > 0)
        if Bool.random(using: &random), let offsets = movie.offsets {
            movie.offsets = offsets.map { ($0.count, $0.offset - 1000) }
        }
        if Int.random(in: 0..<4, using: &random) == 0, count > 0 {
            movie.deltas = (0..<count).map { _ in
                (1, [500, 1000, 1001, 2000].randomElement(using: &random) ?? 1)
            }
        }
        if Int.random(in: 0..<8, using: &random) == 0 { movie.sync = nil }
        if Int.random(in: 0..<10, using: &random) == 0, count > 6 { movie.sync = [4, 6] }
        // An empty table of sync samples makes ffprobe ask its parser for the keys.
        if count == 0 { movie.sync = nil }
        movie.chunk = Int.random(in: 1...9, using: &random)
        movie.movieTimescale = [600, 1000, 30_000, 44_100].randomElement(using: &random) ?? 600
        let length = max(count, 20) * 1000
        if Int.random(in: 0..<6, using: &random) > 0 {
            movie.edits = (0..<Int.random(in: 1...4, using: &random)).map { row in
                let isEmpty = Int.random(in: 0..<(row == 0 ? 3 : 8), using: &random) == 0
                let isNothing = Int.random(in: 0..<12, using: &random) == 0
                let scaled = Int.random(in: 1...length, using: &random) * movie.movieTimescale / 30_000
                let duration = isNothing ? 0 : scaled
                let isRound = Bool.random(using: &random)
                let time = Int.random(in: 0...length, using: &random)
                return (duration, isEmpty ? -1 : isRound ? time / 1000 * 1000 : time)
            }
            movie.editVersion = Bool.random(using: &random) ? 1 : 0
        }
        guard fragments else { return movie }
        // libavformat 5.1 gives all packets the offset 0 when only the fragments have offsets. This package keeps the
        // offsets, because decoders put out pictures in their order.
        if count > 0 { movie.offsets = movie.offsets ?? [(count, 0)] }
        movie.extraMovie = box(
            "mvex", fullBox("trex", be32(1), be32(1), be32(1000), be32(30), be32(0x1_0000)))
        var time = count * 1000
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let start = movie.movieStart + movie.movie.count + movie.tail.count
            let samples = Int.random(in: 1...10, using: &random)
            let overlap = Int.random(in: 0..<6, using: &random) == 0 ? 2000 : 0
            movie.tail += fragment(
                samples: samples, time: max(time - overlap, 0), start: start, random: &random)
            time += samples * 1000
        }
        return movie
    }

    /// A fragment with its media.
    private static func fragment(
        samples: Int, time: Int, start: Int, random: inout SplitMix
    ) -> [UInt8] {
        let hasSizes = Bool.random(using: &random)
        let hasOffsets = Bool.random(using: &random)
        let hasFlags = Bool.random(using: &random)
        let isNegative = Bool.random(using: &random)
        let base = Int.random(in: 0..<3, using: &random)
        var total = 0
        let rows = (0..<samples).flatMap { sample -> [UInt8] in
            let size = hasSizes ? 10 + sample : 30
            total += size
            let offset =
                [1000, 3000, 1000, 0][sample == 0 ? 0 : 1 + (sample - 1) % 3] - (isNegative ? 1000 : 0)
            return (hasSizes ? be32(size) : [])
                + (hasFlags ? be32(sample == 0 ? 0x200_0000 : 0x101_0000) : [])
                + (hasOffsets ? be32(offset) : [])
        }
        let flags = UInt32(
            0x1 | (hasSizes ? 0x200 : 0) | (hasFlags ? 0x400 : 0x4) | (hasOffsets ? 0x800 : 0))
        func build(_ dataOffset: Int) -> [UInt8] {
            let place = base == 0 ? start + dataOffset : dataOffset
            let header: [UInt8]
            switch base {
            case 0: header = fullBox("tfhd", flags: 1, be32(1), be64(0))
            case 1: header = fullBox("tfhd", flags: 0x2_0000, be32(1))
            default: header = fullBox("tfhd", be32(1))
            }
            let run = fullBox(
                "trun", version: 1, flags: flags, be32(samples), be32(place),
                hasFlags ? [] : be32(0x200_0000), rows)
            return box(
                "moof", fullBox("mfhd", be32(1)),
                box("traf", header, fullBox("tfdt", version: 1, be64(Int64(time))), run))
        }
        let size = build(0).count
        return build(size + 8) + box("mdat", (0..<total).map { UInt8(truncatingIfNeeded: $0) })
    }
}
