import ScrubBase

extension SampleTableBuilder {
    /// A run of chunks with the same number of samples (`stsc`, ISO/IEC 14496-12, 8.7.4).
    private struct ChunkRun {
        var firstChunk: Int
        var samples: Int
        var description: Int
    }

    /// Sets every sample's offset and size, chunk by chunk (8.7.4, 8.7.5).
    mutating func placeSamples(_ sizes: SizeTable, path: String) throws(ScrubError) {
        guard let offsetBox = track.tables.co64 ?? track.tables.stco else {
            throw ScrubError(.badData, "is missing", place: .box("\(path)/stco"))
        }
        let isWide = offsetBox.type == .co64
        let chunks = try offsetBox.rows(
            in: track.moov, width: isWide ? 8 : 4, tolerant: true, path: path, warnings: &table.warnings)
        let runs = try chunkRuns(chunkCount: chunks.count, path: path)
        let moov = track.moov
        let bytes = moov.span
        let starts = bytes.extracting(chunks.start..<chunks.start + chunks.count * (isWide ? 8 : 4))
        let (lengths, isCredible) = Self.lengths(sizes, in: bytes)
        let isMixed = runs.contains { $0.description != 0 }
        // Repaired rows may be out of order. If the last one is inside the table, so are all.
        let isOrdered =
            runs[0].firstChunk >= 0 && zip(runs, runs.dropFirst()).allSatisfy { $0.firstChunk < $1.firstChunk }
        var descriptions: [UInt16] = []
        var highest: Int64 = 0
        table.offsets = [Int64](capacity: sizes.count) { places in
            let lengths = lengths.span
            let runs = runs.span
            if isCredible, isOrdered, !isWide, !isMixed {
                for run in 0..<runs.count {
                    let end = run + 1 < runs.count ? runs[run + 1].firstChunk : chunks.count
                    let first = run == 0 ? 0 : runs[run].firstChunk
                    let last = Self.place(
                        lengths, chunks: first..<end, of: runs[run].samples, at: starts, into: &places)
                    highest = max(highest, last)
                }
                return
            }
            var run = 0
            for chunk in 0..<chunks.count {
                while run + 1 < runs.count, runs[run + 1].firstChunk == chunk { run += 1 }
                let raw =
                    isWide ? bigEndian64(starts, at: chunk &* 8) : UInt64(bigEndian32(starts, at: chunk &* 4))
                // A sample above 2^30 bytes, or an impossible offset, ends the table, because nothing after it can be
                // trusted.
                guard raw <= UInt64(Int64.max) else { break }
                var place = Int64(raw)
                let first = places.count
                let end = min(lengths.count, first + runs[run].samples)
                if isCredible, place <= 1 << 62 {
                    // 2^31 samples of 2^30 bytes cannot cause an overflow from here.
                    var sample = first
                    while sample < end {
                        places.append(place)
                        place &+= Int64(lengths[sample])
                        sample &+= 1
                    }
                } else {
                    for sample in first..<end {
                        let size = lengths[sample]
                        guard size <= Self.maximumSize, place <= Int64.max - Int64(size) else { break }
                        places.append(place)
                        place += Int64(size)
                    }
                }
                highest = max(highest, place)
                if isMixed {
                    descriptions.append(
                        contentsOf: repeatElement(
                            UInt16(clamping: runs[run].description), count: places.count - first))
                }
                if places.count < end || end == lengths.count { break }
            }
        }
        table.sizes = lengths
        table.descriptionIndexes = descriptions
        highestEnd = highest
        let placed = table.offsets.count
        if placed < sizes.count {
            warn("\(path)/\(offsetBox.type)", "the chunks hold only \(placed) of \(sizes.count) samples")
            table.sizes.removeLast(sizes.count - placed)
        }
    }

    /// Places the samples of ordinary chunks with the given number of samples each. An interleaved film has a chunk for
    /// almost every sample.
    ///
    /// - Returns: the end of the last sample.
    private static func place(
        _ lengths: Span<UInt32>, chunks: Range<Int>, of samples: Int, at starts: Span<UInt8>,
        into places: inout OutputSpan<Int64>
    ) -> Int64 {
        var highest: Int64 = 0
        var sample = places.count
        for chunk in chunks where sample < lengths.count {
            var place = Int64(bigEndian32(starts, at: chunk &* 4))
            let end = min(lengths.count, sample &+ samples)
            while sample < end {
                places.append(place)
                place &+= Int64(lengths[sample])
                sample &+= 1
            }
            highest = max(highest, place)
        }
        return highest
    }

    /// Returns the sizes of all samples, and whether none is above ``maximumSize``.
    private static func lengths(_ sizes: SizeTable, in bytes: Span<UInt8>) -> ([UInt32], Bool) {
        guard sizes.constant == 0 else {
            return (
                [UInt32](repeating: sizes.constant, count: sizes.count), sizes.constant <= maximumSize
            )
        }
        guard sizes.bits == 32 else {
            let all = [UInt32](capacity: sizes.count) { lengths in
                for sample in 0..<sizes.count { lengths.append(size(sample, of: sizes, in: bytes)) }
            }
            return (all, true)
        }
        let rows = bytes.extracting(sizes.start..<sizes.start + sizes.count * 4)
        // The highest bits of all sizes show whether any of them is too large.
        var union: UInt32 = 0
        let all = [UInt32](capacity: sizes.count) { lengths in
            for sample in 0..<sizes.count {
                let size = bigEndian32(rows, at: sample &* 4)
                union |= size
                lengths.append(size)
            }
        }
        return (all, union <= maximumSize)
    }

    /// Returns the size of one sample from a table of small fields.
    @inline(__always)
    private static func size(_ sample: Int, of sizes: SizeTable, in bytes: Span<UInt8>) -> UInt32 {
        switch sizes.bits {
        case 16: return UInt32(bigEndian16(bytes, at: sizes.start &+ sample &* 2))
        case 8: return UInt32(bytes[sizes.start &+ sample])
        default:
            let pair = bytes[sizes.start &+ sample / 2]
            return UInt32(sample & 1 == 0 ? pair >> 4 : pair & 15)
        }
    }

    /// Reads `stsc` and repairs impossible rows, which take the values of the next row, one chunk earlier.
    private mutating func chunkRuns(chunkCount: Int, path: String) throws(ScrubError) -> [ChunkRun] {
        guard let box = track.tables.stsc else {
            throw ScrubError(.badData, "is missing", place: .box("\(path)/stsc"))
        }
        let rows = try box.rows(
            in: track.moov, width: 12, tolerant: false, path: path, warnings: &table.warnings)
        let moov = track.moov
        let bytes = moov.span
        var runs: [ChunkRun] = []
        runs.reserveCapacity(rows.count)
        for row in 0..<rows.count {
            let at = rows.start + row * 12
            // Chunks and descriptions count from 1 in the file and from 0 here.
            runs.append(
                ChunkRun(
                    firstChunk: Int(bigEndian32(bytes, at: at)) - 1,
                    samples: Int(bigEndian32(bytes, at: at + 4)),
                    description: Int(bigEndian32(bytes, at: at + 8)) - 1))
        }
        while let last = runs.last, runs.count > 1, last.samples == 0 { runs.removeLast() }
        for row in runs.indices.reversed() {
            let isPossible =
                runs[row].firstChunk >= row && runs[row].samples > 0 && runs[row].description >= 0
                && (row + 1 == runs.count || runs[row].firstChunk < runs[row + 1].firstChunk)
                && (row == 0 || runs[row].firstChunk > runs[row - 1].firstChunk)
            if isPossible { continue }
            warn("\(path)/stsc", "entry \(row) is invalid")
            if row + 1 < runs.count {
                runs[row] = ChunkRun(
                    firstChunk: runs[row + 1].firstChunk - 1, samples: runs[row + 1].samples,
                    description: runs[row + 1].description)
            } else {
                runs[row].firstChunk = max(runs[row].firstChunk, row)
                if row > 0, runs[row].firstChunk <= runs[row - 1].firstChunk {
                    runs[row].firstChunk = runs[row - 1].firstChunk + 1
                }
                runs[row].samples = max(runs[row].samples, 1)
                runs[row].description = max(runs[row].description, 0)
            }
        }
        guard let last = runs.last else {
            throw ScrubError(.badData, "is empty, but there are samples", place: .box("\(path)/stsc"))
        }
        guard last.firstChunk < chunkCount else {
            throw ScrubError(
                .badData, "refers to chunk \(last.firstChunk + 1) of \(chunkCount)", place: .box("\(path)/stsc"))
        }
        return runs
    }
}
