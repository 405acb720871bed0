/// The samples of a track in the order in which a player decodes them, after applying the edit list.
///
/// Entries are packets, not samples. A sample can occur several times if edits overlap, and does not occur if no edit
/// shows or needs it. Times are in the media's timescale on the movie's presentation timeline.
package struct EditedSequence: Sendable {
    /// The index of each entry's sample in the table.
    package internal(set) var sampleIndex: [UInt32] = []
    /// The time at which each entry is shown.
    package internal(set) var pts: [Int64] = []
    /// The time at which each entry is decoded.
    package internal(set) var dts: [Int64] = []
    /// Whether an entry is decoded only because others need it, and is not shown.
    package internal(set) var discarded: [Bool] = []
    /// The first entry of each edit that has entries, or 0 if there are no edits. Never empty if there are entries.
    package internal(set) var sectionStarts: [Int] = []
    /// The start of the track's presentation: the sum of the empty edits before it, or the first entry's time.
    package internal(set) var startTime: Int64 = 0

    /// The end of the last edit that shows something, and the precision of the movie's timescale. `nil` without edits,
    /// and if fragments follow, because edits do not end them.
    package internal(set) var editEnd: (time: Int64, step: Int64)?

    /// Whether every entry is the sample with the same number and none is discarded, as in most films. If so, the
    /// table's information about samples also applies to the entries.
    package internal(set) var isPlain = false

    /// The number of entries.
    package var count: Int { sampleIndex.count }

    init() {}

    mutating func reserveCapacity(_ count: Int) {
        sampleIndex.reserveCapacity(count)
        pts.reserveCapacity(count)
        dts.reserveCapacity(count)
        discarded.reserveCapacity(count)
    }

    mutating func append(sample: Int, pts: Int64, dts: Int64, discarded isDiscarded: Bool) {
        sampleIndex.append(UInt32(truncatingIfNeeded: sample))
        self.pts.append(pts)
        self.dts.append(dts)
        discarded.append(isDiscarded)
    }
}

extension EditedSequence {
    /// The entry that is shown last.
    package var lastShown: Int? {
        var last: Int?
        for entry in pts.indices where !discarded[entry] {
            if let found = last, pts[entry] < pts[found] { continue }
            last = entry
        }
        return last
    }

    /// Returns the duration of the entry that is shown last, in the media's timescale; 0 if the file does not specify
    /// it.
    ///
    /// It is the last sample's own duration if that sample is shown last, or the time until the end of the edit if that
    /// is earlier. A last sample without a duration lasts until the end given in the media header.
    ///
    /// Cost: in proportion to the number of samples, a nanosecond each.
    package func lastDuration(_ table: SampleTable, of track: Track) -> Int64 {
        guard let last = lastShown else { return table.lastDuration }
        var stay = table.lastDuration
        // All ones mean an unknown length (ISO/IEC 14496-12, 8.4.2.3).
        if stay == 0, table.fragmentRuns.isEmpty, track.mediaDuration < UInt32.max, let end = table.dts.last {
            stay = max(0, Int64(track.mediaDuration) &- end)
        }
        guard let editEnd else { return stay }
        let left = max(1, editEnd.time &- pts[last])
        let shown = table.compositionTime(Int(sampleIndex[last]))
        let isLastOfMedia = isPlain || (0..<table.count).allSatisfy { table.compositionTime($0) <= shown }
        guard isLastOfMedia, stay > 0 else { return left }
        // An edit that is too short by less than its unit was only rounded.
        return left > stay &- editEnd.step ? stay : left
    }

    /// Omits entries of fragments at the end that repeat earlier ones, if there are more of them than shown entries. No
    /// picture depends on them, and a file can repeat one fragment a hundred thousand times.
    package mutating func leaveOutRepeatedEnd(of table: SampleTable) {
        guard let first = table.fragmentRuns.first?.firstSample else { return }
        let end = (discarded.lastIndex(of: false) ?? -1) + 1
        guard count - end > max(64, end), Int(sampleIndex[end]) >= first else { return }
        sampleIndex.removeSubrange(end...)
        pts.removeSubrange(end...)
        dts.removeSubrange(end...)
        discarded.removeSubrange(end...)
        sectionStarts.removeAll { $0 >= end && $0 > 0 }
    }
}
