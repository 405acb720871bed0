import ScrubBase

extension SampleTableBuilder {
    /// Adds the samples that the movie box describes (ISO/IEC 14496-12, 8.5 to 8.7).
    mutating func addMovieSamples() throws(ScrubError) {
        let path = "\(track.path)/mdia/minf/stbl"
        let sizes = try sizeTable(path: path)
        guard sizes.count > 0 else { return }
        try placeSamples(sizes, path: path)
        guard table.count > 0 else { return }
        try addDecodeTimes(path: path)
        try addCompositionOffsets(path: path)
        try addSyncSamples(path: path)
        addDependencies()
        try addSampleGroups(path: path)
        dropOtherEntries()
        table.movieSampleCount = table.count
    }

    /// The sizes of the samples: all equal, or a field of 4 to 32 bits for each (8.7.3).
    struct SizeTable {
        var count: Int
        var constant: UInt32
        var start: Int
        var bits: Int
    }

    private mutating func sizeTable(path: String) throws(ScrubError) -> SizeTable {
        guard let box = track.tables.stsz ?? track.tables.stz2 else {
            return SizeTable(count: 0, constant: 0, start: 0, bits: 0)
        }
        let isCompact = box.type == .stz2
        guard box.body.count >= 12 else {
            throw ScrubError(.badData, "is too short for its sample count", place: .box("\(path)/\(box.type)"))
        }
        let moov = track.moov
        let bytes = moov.span
        let word = bigEndian32(bytes, at: box.body.lowerBound + 4)
        var sizes = SizeTable(
            count: Int(bigEndian32(bytes, at: box.body.lowerBound + 8)), constant: isCompact ? 0 : word,
            start: box.body.lowerBound + 12, bits: isCompact ? Int(word & 0xFF) : 32)
        if sizes.constant > 0 {
            // Nothing in the box backs this count, so only as many samples are accepted as fit in the file.
            let room = track.byteCount / Int64(sizes.constant) + 1
            if sizes.count > room {
                warn("\(path)/stsz", "claims \(sizes.count) samples, but the file has room for \(room)")
                sizes.count = Int(room)
                isBounded = true
            }
            guard sizes.count <= Self.maximumCount else {
                throw ScrubError(.unavailable, "claims too many samples: \(sizes.count)", place: .box("\(path)/stsz"))
            }
            return sizes
        }
        guard [4, 8, 16, 32].contains(sizes.bits) else {
            throw ScrubError(.badData, "has \(sizes.bits)-bit fields", place: .box("\(path)/\(box.type)"))
        }
        let room = (box.body.count - 12) * 8 / sizes.bits
        guard sizes.count <= room else {
            throw ScrubError(
                .badData, "claims \(sizes.count) samples but has room for \(room)",
                place: .box("\(path)/\(box.type)"))
        }
        return sizes
    }

    /// Adds decode times from run lengths (8.6.1.2). The last run continues if the table is shorter than the track.
    private mutating func addDecodeTimes(path: String) throws(ScrubError) {
        guard let box = track.tables.stts else {
            throw ScrubError(.badData, "is missing", place: .box("\(path)/stts"))
        }
        let rows = try box.rows(
            in: track.moov, width: 8, tolerant: true, path: path, warnings: &table.warnings)
        guard rows.count > 0 else {
            throw ScrubError(.badData, "is empty, but there are samples", place: .box("\(path)/stts"))
        }
        let moov = track.moov
        let bytes = moov.span.extracting(rows.start..<rows.start + rows.count * 8)
        let count = table.count
        var clock = DecodeClock()
        var time: Int64 = 0
        var delta: Int64 = 0
        var corrected: [Int] = []
        table.dts = try [Int64](capacity: count) { (times: inout OutputSpan<Int64>) throws(ScrubError) in
            for row in 0..<rows.count where times.count < count {
                let run = bigEndian32(bytes, at: row &* 8)
                delta = clock.delta(bigEndian32(bytes, at: row &* 8 &+ 4), run: run)
                if clock.isCorrecting { corrected.append(row) }
                let length = row == rows.count - 1 ? count - times.count : min(count - times.count, Int(run))
                let (span, overflow) = delta.multipliedReportingOverflow(by: Int64(length))
                guard !overflow, span <= SampleTable.timeLimit, time + span <= SampleTable.timeLimit else {
                    throw ScrubError(.badData, "has implausibly large times", place: .box("\(path)/stts"))
                }
                for _ in 0..<length {
                    times.append(time)
                    time &+= delta
                }
            }
        }
        for row in corrected { warn("\(path)/stts", "entry \(row) has an invalid delta") }
        table.lastDuration = delta
        trackEnd = time
    }

    /// Adds composition offsets from run lengths (8.6.1.3), which are read as signed in both versions of the box,
    /// because writers use them that way.
    private mutating func addCompositionOffsets(path: String) throws(ScrubError) {
        guard let box = track.tables.ctts else { return }
        let rows = try box.rows(
            in: track.moov, width: 8, tolerant: true, path: path, warnings: &table.warnings)
        guard rows.count > 0 else { return }
        let moov = track.moov
        let bytes = moov.span.extracting(rows.start..<rows.start + rows.count * 8)
        let count = table.count
        var lowest: Int32 = 0
        var impossible: (row: Int, offset: Int32)?
        var covered = 0
        let all = [Int32](capacity: count) { offsets in
            // A copy in a register, because this loop visits a row for almost every sample of a film.
            var minimum: Int32 = 0
            defer { lowest = minimum }
            let rowCount = rows.count
            for row in 0..<rowCount {
                let pair = bigEndian64(bytes, at: row &* 8)
                let run = UInt32(truncatingIfNeeded: pair >> 32)
                // A run with the sign bit set, like an empty run, covers nothing.
                guard run &- 1 < UInt32(Int32.max) else { continue }
                let offset = Int32(truncatingIfNeeded: pair)
                // The last two rows are exempt from both rules, because editors end a table with an artificial offset
                // that moves the last picture to the edit's end.
                if row &+ 2 < rowCount {
                    guard offset.magnitude <= 1 << 28 else {
                        impossible = (row, offset)
                        return
                    }
                    minimum = min(minimum, offset)
                }
                if run == 1, !offsets.isFull {
                    offsets.append(offset)
                    continue
                }
                var left = min(offsets.freeCapacity, Int(run))
                while left > 0 {
                    offsets.append(offset)
                    left &-= 1
                }
            }
            covered = offsets.count
            for _ in covered..<count { offsets.append(0) }
        }
        table.decodeShift = max(table.decodeShift, -Int64(lowest))
        if let impossible {
            warn(
                "\(path)/ctts",
                "entry \(impossible.row) has the invalid offset \(impossible.offset): all offsets are ignored")
            return
        }
        if covered < count { warn("\(path)/ctts", "covers only \(covered) of \(count) samples") }
        table.compositionOffsets = all
        table.movieHasOffsets = true
    }

    /// Adds the dependency bits (8.6.4).
    private mutating func addDependencies() {
        guard let box = track.tables.sdtp, box.body.count > 4 else { return }
        let moov = track.moov
        let bytes = moov.span
        var values = [SampleDependency](repeating: SampleDependency(rawValue: 0), count: table.count)
        for sample in 0..<min(table.count, box.body.count - 4) {
            values[sample] = SampleDependency(rawValue: bytes[box.body.lowerBound + 4 + sample])
        }
        table.dependencies = values
    }
}

/// Repairs decode deltas that are really negative corrections.
///
/// The field is unsigned, but some writers store a negative number in it to undo a delay. Such a delta becomes 1. The
/// resulting lead over the intended time is subtracted from the following runs, as far as their deltas allow while time
/// still moves forward.
struct DecodeClock {
    private var time: Int64 = 0
    private var intended: Int64 = 0
    /// Whether the last delta was impossible.
    private(set) var isCorrecting = false

    /// Deltas above this are corrections; it is within about eleven seconds, at 48 kHz, of the field's maximum.
    private static let limit = UInt32.max - 48_000 * 10

    mutating func delta(_ raw: UInt32, run: UInt32) -> Int64 {
        isCorrecting = raw > Self.limit
        var delta = isCorrecting ? 1 : Int64(raw)
        let length = Int64(run)
        let wanted = isCorrecting ? (raw > UInt32(Int32.max) ? Int64(Int32(bitPattern: raw)) : 1) : Int64(raw)
        intended &+= wanted &* length
        time &+= delta &* length
        if time > intended {
            let drift = (time &- intended) / max(length, 1)
            let correction = delta > drift ? drift : delta - 1
            time &-= correction &* length
            delta -= correction
        }
        return delta
    }
}
