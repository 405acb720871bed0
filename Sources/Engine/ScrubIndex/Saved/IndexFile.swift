internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubHashing
internal import ScrubLibAV
package import ScrubBase

/// The saved form of an index: a header, the facts, then one column per property, under one checksum.
///
/// The columns are used in place, in the bytes that were read: opening costs one pass of the checksum over them. A
/// saved index is only a copy of the file's facts. If anything does not match (version, byte order, checksum, size,
/// modification time, fingerprint), the index is rebuilt, never repaired.
package enum IndexFile {
    private static let magic: UInt64 = 0x5844_4942_5552_4353  // "SCRUBIDX" in little-endian order
    /// Incremented with every change to the layout or to the meaning of the values.
    package static let version: UInt32 = 17
    /// Magic, version, a reserved zero, the checksum, and the length of the facts.
    private static let headerBytes = 32
    /// The offset after the checksum: all following bytes are covered by it.
    private static let checksumEnd = 24

    package static func encode(_ index: FrameIndex, key: Key) -> [UInt8] {
        var facts = BinaryWriter()
        key.write(to: &facts)
        index.facts.write(to: &facts)
        facts.write(index.lastDuration)
        facts.write(Int64(index.reorderDelay))
        facts.write(UInt64(index.repairedTimes == nil ? 0 : 1))
        let counts = index.pictures.recoveryCounts.sorted { $0.key < $1.key }
        facts.write(column: counts.map(\.key))
        facts.write(column: counts.map(\.value))
        let layout = Layout(
            pictures: index.pictures.count, decodeTimes: index.pictures.decodeTimes.count,
            fingerprints: index.pictures.fingerprints.count, descriptions: index.pictures.descriptions.count,
            shown: index.displayOrder.count, frames: index.frames.count, restarts: index.restarts.count)
        layout.write(to: &facts)
        encode(index.dependencies, to: &facts)

        var factBytes = facts.bytes
        while factBytes.count % 8 != 0 { factBytes.append(0) }
        // Allocated in one piece, because a long video's data takes megabytes and each copy costs as much as writing
        // it.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerBytes + factBytes.count + layout.byteCount(isRepaired: index.repairedTimes != nil))
        var header = BinaryWriter()
        header.write(magic)
        header.write(version)
        header.write(UInt32(0))
        header.write(UInt64(0))
        header.write(UInt64(factBytes.count))
        bytes += header.bytes
        bytes += factBytes
        index.pictures.offsets.append(to: &bytes)
        index.pictures.sizes.append(to: &bytes)
        index.pictures.presentationTimes.append(to: &bytes)
        index.pictures.decodeTimes.append(to: &bytes)
        index.pictures.flags.append(to: &bytes)
        index.pictures.fingerprints.append(to: &bytes)
        index.pictures.descriptions.append(to: &bytes)
        index.displayOrder.append(to: &bytes)
        index.frames.append(to: &bytes)
        index.ranks.append(to: &bytes)
        index.restarts.append(to: &bytes)
        (index.repairedTimes ?? Column([])).append(to: &bytes)

        let checksum = xxh3(bytes.span.extracting(checksumEnd..<bytes.count))
        unsafe withUnsafeBytes(of: checksum) { unsafe bytes.replaceSubrange(checksumEnd - 8..<checksumEnd, with: $0) }
        return bytes
    }

    /// Reads an index from bytes.
    package static func decode(_ bytes: [UInt8], key: Key) throws(ScrubError) -> FrameIndex {
        try decode(ByteRegion(bytes), key: key)
    }

    /// Reads an index; its columns stay in the region.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if it is incomplete or inconsistent, or belongs to another version or
    ///   another file.
    package static func decode(_ region: ByteRegion, key: Key) throws(ScrubError) -> FrameIndex {
        let bytes = region.bytes
        var header = BinaryReader(bytes)
        guard bytes.count >= headerBytes, try header.read(UInt64.self) == magic,
            try header.read(UInt32.self) == version, try header.read(UInt32.self) == 0
        else { throw ScrubError(.badData, "the saved index has a different version") }
        let checksum = try header.read(UInt64.self)
        guard xxh3(bytes.extracting(checksumEnd..<bytes.count)) == checksum else {
            throw ScrubError(.badData, "the saved index is damaged")
        }
        let factBytes = try header.read(UInt64.self)
        guard factBytes <= UInt64(bytes.count - headerBytes) else { throw contradiction }
        let columnStart = headerBytes + Int(factBytes)
        var facts = BinaryReader(bytes.extracting(headerBytes..<columnStart))
        guard try key.matches(&facts) else {
            throw ScrubError(.badData, "the saved index belongs to another file")
        }
        let streamFacts = try StreamFacts(from: &facts)
        let lastDuration = try facts.read(Int64.self)
        let reorderDelay = try facts.read(Int64.self)
        let isRepaired = try facts.read(UInt64.self) == 1
        let keys = try facts.readColumn(of: UInt32.self)
        let values = try facts.readColumn(of: UInt32.self)
        let layout = try Layout(from: &facts)
        let dependencies = try decodeDependencies(&facts, pictures: layout.pictures)

        var columns = ColumnReader(region: region, position: columnStart)
        let pictures = PictureTable(
            offsets: try columns.next(layout.pictures), sizes: try columns.next(layout.pictures),
            presentationTimes: try columns.next(layout.pictures), decodeTimes: try columns.next(layout.decodeTimes),
            flags: try columns.next(layout.pictures), fingerprints: try columns.next(layout.fingerprints),
            descriptions: try columns.next(layout.descriptions),
            recoveryCounts: Dictionary(zip(keys, values), uniquingKeysWith: { first, _ in first }))
        let index = FrameIndex(
            facts: streamFacts, pictures: pictures, displayOrder: try columns.next(layout.shown),
            frames: try columns.next(layout.frames), ranks: try columns.next(layout.pictures),
            restarts: try columns.next(layout.restarts),
            repairedTimes: isRepaired ? try columns.next(layout.frames) : nil, lastDuration: lastDuration,
            reorderDelay: Int(clamping: min(16, max(0, reorderDelay))), dependencies: dependencies)
        guard index.isConsistent else { throw contradiction }
        return index
    }

    /// Appends tables with their number.
    static func encode(_ tables: [DependencyTable], to out: inout BinaryWriter) {
        out.write(UInt64(tables.count))
        for table in tables { table.write(to: &out) }
    }

    /// Reads tables that describe some of a number of pictures.
    @_lifetime(bytes: copy bytes)
    static func decodeDependencies(
        _ bytes: inout BinaryReader, pictures: Int
    ) throws(ScrubError) -> [DependencyTable] {
        var tables: [DependencyTable] = []
        for _ in 0..<(try bytes.read(UInt64.self)) {
            let table = try DependencyTable(from: &bytes)
            guard table.endPicture <= pictures else { throw contradiction }
            tables.append(table)
        }
        return tables
    }

    static var contradiction: ScrubError { ScrubError(.badData, "the saved index is inconsistent") }
}

/// Reads consecutive columns of a region, each at a multiple of eight bytes.
private struct ColumnReader {
    let region: ByteRegion
    var position: Int

    mutating func next<T>(_ count: Int) throws(ScrubError) -> Column<T> {
        guard let column = Column<T>(region, offset: position, count: count) else { throw IndexFile.contradiction }
        position += (count * MemoryLayout<T>.stride + 7) / 8 * 8
        return column
    }
}

/// The lengths of the columns.
private struct Layout {
    var pictures, decodeTimes, fingerprints, descriptions, shown, frames, restarts: Int

    /// Returns the number of bytes of all columns, each padded to a multiple of eight.
    func byteCount(isRepaired: Bool) -> Int {
        let bytes = [
            pictures * 8, pictures * 4, pictures * 8, decodeTimes * 8, pictures * MemoryLayout<PictureFlags>.stride,
            fingerprints * 4, descriptions, shown * 4, frames * 4, pictures * 4, restarts * 4,
            isRepaired ? frames * 8 : 0,
        ]
        return bytes.reduce(0) { $0 + ($1 + 7) / 8 * 8 }
    }

    func write(to out: inout BinaryWriter) {
        for count in [pictures, decodeTimes, fingerprints, descriptions, shown, frames, restarts] {
            out.write(UInt64(count))
        }
    }
}

extension Layout {
    init(from bytes: inout BinaryReader) throws(ScrubError) {
        var counts: [Int] = []
        for _ in 0..<7 {
            guard let count = Int(exactly: try bytes.read(UInt64.self)) else { throw IndexFile.contradiction }
            counts.append(count)
        }
        self.init(
            pictures: counts[0], decodeTimes: counts[1], fingerprints: counts[2], descriptions: counts[3],
            shown: counts[4], frames: counts[5], restarts: counts[6])
    }
}

extension FrameIndex {
    /// Whether every number in the index refers to something that exists, so that no cached data can crash the process.
    var isConsistent: Bool {
        let count = pictures.count
        let isWhole = { (column: Int) in column == 0 || column == count }
        guard isWhole(pictures.decodeTimes.count), isWhole(pictures.fingerprints.count),
            isWhole(pictures.descriptions.count), !facts.descriptions.isEmpty, count <= Int(UInt32.max),
            displayOrder.count <= count, !frames.isEmpty, frames.count <= displayOrder.count,
            (0..<1 << 16).contains(facts.streamIndex),
            facts.route == .direct || (pictures.decodeTimes.count == count && pictures.fingerprints.count == count)
        else { return false }
        let shown = displayOrder.count
        return displayOrder.withSpan { order in
            ranks.withSpan { ranks in
                for rank in order.indices
                where Int(order[rank]) >= count || ranks[Int(order[rank])] != Int32(truncatingIfNeeded: rank) {
                    return false
                }
                for picture in ranks.indices where !(-1..<shown).contains(Int(ranks[picture])) { return false }
                guard frames.allBelow(count) else { return false }
                var last: Int32 = -1
                return frames.withSpan { frames in
                    for frame in frames.indices {
                        let rank = ranks[Int(frames[frame])]
                        guard rank > last else { return false }
                        last = rank
                    }
                    return true
                }
            }
        } && restarts.allBelow(count) && restarts.isAscending
            && pictures.descriptions.allBelow(facts.descriptions.count)
    }
}

extension Column where Element: BinaryInteger {
    fileprivate var isAscending: Bool {
        withSpan { values in
            for i in values.indices.dropFirst() where values[i] <= values[i - 1] { return false }
            return true
        }
    }

    fileprivate func allBelow(_ limit: Int) -> Bool {
        withSpan { values in
            for i in values.indices where Int(values[i]) >= limit { return false }
            return true
        }
    }
}
