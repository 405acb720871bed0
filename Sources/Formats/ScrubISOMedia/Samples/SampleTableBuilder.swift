import ScrubBase

/// Expands the tables of a track into one entry per sample. The part for the movie box is in `MovieSamples.swift`, the
/// part for fragments in `FragmentSamples.swift`.
struct SampleTableBuilder {
    var track: Track
    var table = SampleTable()
    /// The decode time after the last sample so far.
    var trackEnd: Int64 = 0
    /// The highest end of the movie box's samples.
    var highestEnd: Int64 = 0
    /// Whether samples for which the file has no room are omitted.
    var isBounded = false
    /// Whether a fragment had an impossible sample, after which nothing is read.
    var isEnded = false
    /// The group descriptions of the movie box, once a map needs them.
    var movieGroups: [FourCC: SampleGroup.Descriptions]?

    /// The maximum number of samples that is accepted from a table that has no bytes for each of them: three days at 60
    /// pictures per second.
    static let maximumCount = 1 << 24
    /// The maximum size of a sample that is accepted.
    static let maximumSize: UInt32 = 0x3FFF_FFFF

    init(track: Track) {
        self.track = track
        table.path = track.path
    }

    /// Adds a warning about an irregularity.
    mutating func warn(_ path: String, _ cause: String) { table.warnings.append("\(path): \(cause)") }

    /// Returns the samples so far for a file that may grow.
    func snapshot() -> SampleTable {
        var copy = self
        copy.table.readShift = copy.table.decodeShift
        copy.shiftFragments()
        if !copy.table.descriptionIndexes.isEmpty { copy.table.descriptionIndexes.pad(to: table.count, with: 0) }
        return copy.finished()
    }

    /// Returns the finished table, with arrays that carry no information emptied.
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
        if outside > 0 { warn(track.path, "\(outside) of \(table.count) samples are not entirely in the file") }
        return table
    }

    /// Keeps only the samples of the selected sample entry; see ``Track/selectedEntry``.
    mutating func dropOtherEntries() {
        guard let selected = track.selectedEntry, table.descriptionIndexes.contains(where: { $0 != selected })
        else { return }
        if !table.rollDistances.isEmpty { table.rollDistances.pad(to: table.count, with: 0) }
        if !table.syncNALTypes.isEmpty { table.syncNALTypes.pad(to: table.count, with: 0) }
        let kept = table.descriptionIndexes.indices.filter { table.descriptionIndexes[$0] == selected }
        warn(track.path, "\(table.count - kept.count) samples with a different sample entry are ignored")
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
