import ScrubBase

extension SampleTableBuilder {
    /// A run of chunks that hold the same number of samples (`stsc`, ISO/IEC 14496-12, 8.7.4).
    private struct ChunkRun {
        var firstChunk: Int
        var samples: Int
        var description: Int
    }

    /// Gives every sample its place and its size, chunk by chunk (8.7.4, 8.7.5).
    mutating func placeSamples(_ sizes: SizeTable, path: String) throws(ScrubError) {
        guard let offsetBox = track.tables.co64 ?? track.tables.stco else {
            throw ScrubError(.badData, "is missing", place: "\(path)/stco")
        }
        let isWide = offsetBox.type == .co64
        let chunks = try offsetBox.rows(
            in: track.moov, width: isWide ? 8 : 4, tolerant: true, path: path, warnings: &table.warnings)
        let runs = try chunkRuns(chunkCount: chunks.count, path: path)
        let moov = track.moov
        let bytes = moov.span
        var places = [Int64](repeating: 0, count: sizes.count)
        var lengths = [UInt32](repeating: sizes.constant, count: sizes.count)
        var descriptions: [UInt16] = []
        let isMixed = runs.contains { $0.description != 0 }
        if isMixed { descriptions = [UInt16](repeating: 0, count: sizes.count) }
        var sample = 0
        var run = 0
        placing: for chunk in 0..<chunks.count {
            while run + 1 < runs.count, runs[run + 1].firstChunk == chunk { run += 1 }
            let raw =
                isWide
                ? bigEndian64(bytes, at: chunks.start + chunk * 8)
                : UInt64(bigEndian32(bytes, at: chunks.start + chunk * 4))
            // A sample above 2^30 bytes, or a place no file has, ends the table: nothing after it can be trusted.
            guard var place = Int64(exactly: raw) else { break placing }
            let end = min(sizes.count, sample + runs[run].samples)
            while sample < end {
                let size = sizes.constant > 0 ? sizes.constant : Self.size(sample, of: sizes, in: bytes)
                guard size <= 0x3FFF_FFFF, place <= Int64.max - Int64(size) else { break placing }
                places[sample] = place
                lengths[sample] = size
                if isMixed { descriptions[sample] = UInt16(clamping: runs[run].description) }
                place += Int64(size)
                sample += 1
            }
            if sample == sizes.count { break }
        }
        if sample < sizes.count {
            warn("\(path)/\(offsetBox.type)", "the chunks hold \(sample) of \(sizes.count) samples")
            places.removeLast(sizes.count - sample)
            lengths.removeLast(sizes.count - sample)
            if isMixed { descriptions.removeLast(sizes.count - sample) }
        }
        table.offsets = places
        table.sizes = lengths
        table.descriptionIndexes = descriptions
    }

    /// The size of one sample from a table of fields.
    @inline(__always)
    private static func size(_ sample: Int, of sizes: SizeTable, in bytes: Span<UInt8>) -> UInt32 {
        switch sizes.bits {
        case 32: return bigEndian32(bytes, at: sizes.start &+ sample &* 4)
        case 16: return UInt32(bigEndian16(bytes, at: sizes.start &+ sample &* 2))
        case 8: return UInt32(bytes[sizes.start &+ sample])
        default:
            let pair = bytes[sizes.start &+ sample / 2]
            return UInt32(sample & 1 == 0 ? pair >> 4 : pair & 15)
        }
    }

    /// Reads `stsc` and mends rows that cannot be: such a row takes over what the next one says, one chunk earlier.
    private mutating func chunkRuns(chunkCount: Int, path: String) throws(ScrubError) -> [ChunkRun] {
        guard let box = track.tables.stsc else {
            throw ScrubError(.badData, "is missing", place: "\(path)/stsc")
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
            warn("\(path)/stsc", "entry \(row) is impossible")
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
            throw ScrubError(.badData, "is empty where there are samples", place: "\(path)/stsc")
        }
        guard last.firstChunk < chunkCount else {
            throw ScrubError(
                .badData, "speaks of chunk \(last.firstChunk + 1) of \(chunkCount)", place: "\(path)/stsc")
        }
        return runs
    }
}
