import ScrubBase

/// Expands the tables of a track into one entry per sample. The part for the movie box is in `MovieSamples.swift`, the
/// part for fragments in `FragmentSamples.swift`.
struct SampleTableBuilder {
    var track: Track
    var table = SampleTable()
    /// The decode time after the last sample so far.
    var trackEnd: Int64 = 0
    /// The end of the last byte of the movie box's samples.
    var highestEnd: Int64 = 0
    /// Whether samples are left out for which the file has no room.
    var isBounded = false
    /// Whether a fragment had a sample that can't be, after which nothing is read.
    var isEnded = false
    /// The group descriptions of the movie box, once a map asks for them.
    var movieGroups: [FourCC: SampleGroup.Descriptions]?

    /// More samples than this from a table that spends no bytes on each of them are not believed. At 60 pictures a
    /// second it is three days.
    static let maximumCount = 1 << 24
    /// The largest sample that is believed.
    static let maximumSize: UInt32 = 0x3FFF_FFFF

    init(track: Track) {
        self.track = track
        table.path = track.path
    }

    /// Adds an oddity.
    mutating func warn(_ path: String, _ cause: String) { table.warnings.append("\(path): \(cause)") }

    /// Returns the samples so far, of a file that may grow.
    func snapshot() -> SampleTable {
        var copy = self
        copy.table.readShift = copy.table.decodeShift
        copy.shiftFragments()
        if !copy.table.descriptionIndexes.isEmpty { copy.table.descriptionIndexes.pad(to: table.count, with: 0) }
        return copy.finished()
    }

    /// Returns the finished table, with arrays that say nothing made empty.
    consuming func finished() -> SampleTable {
        if table.syncKinds.allSatisfy({ $0.contains(.sync) }) { table.syncKinds = [] }
        if table.dependencies.allSatisfy({ $0.rawValue == 0 }) { table.dependencies = [] }
        if table.descriptionIndexes.allSatisfy({ $0 == 0 }) { table.descriptionIndexes = [] }
        if !table.rollDistances.isEmpty { table.rollDistances.pad(to: table.count, with: 0) }
        if !table.syncNALTypes.isEmpty { table.syncNALTypes.pad(to: table.count, with: 0) }
        table.isInFile = table.fragmentRuns.isEmpty && highestEnd <= track.byteCount
        if table.isInFile { return table }
        let outside = table.count - table.wholeSampleCount(byteCount: track.byteCount)
        table.isInFile = outside == 0
        if outside > 0 { warn(track.path, "\(outside) of \(table.count) samples are not wholly in the file") }
        return table
    }

    /// Keeps only the samples of the selected sample entry; see ``Track/selectedEntry``.
    mutating func dropOtherEntries() {
        guard let selected = track.selectedEntry, table.descriptionIndexes.contains(where: { $0 != selected })
        else { return }
        if !table.rollDistances.isEmpty { table.rollDistances.pad(to: table.count, with: 0) }
        if !table.syncNALTypes.isEmpty { table.syncNALTypes.pad(to: table.count, with: 0) }
        let kept = table.descriptionIndexes.indices.filter { table.descriptionIndexes[$0] == selected }
        warn(track.path, "\(table.count - kept.count) samples of another coding are left out")
        table.offsets = kept.map { table.offsets[$0] }
        table.sizes = kept.map { table.sizes[$0] }
        table.dts = kept.map { table.dts[$0] }
        if !table.compositionOffsets.isEmpty {
            table.compositionOffsets = kept.map { table.compositionOffsets[$0] }
        }
        if !table.syncKinds.isEmpty { table.syncKinds = kept.map { table.syncKinds[$0] } }
        if !table.dependencies.isEmpty { table.dependencies = kept.map { table.dependencies[$0] } }
        if !table.rollDistances.isEmpty { table.rollDistances = kept.map { table.rollDistances[$0] } }
        if !table.syncNALTypes.isEmpty { table.syncNALTypes = kept.map { table.syncNALTypes[$0] } }
        table.descriptionIndexes = kept.map { table.descriptionIndexes[$0] }
    }
}
