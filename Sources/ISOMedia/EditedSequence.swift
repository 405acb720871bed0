/// The samples of a track in the order in which a player feeds its decoder, after the edit list.
///
/// Entries are packets, not samples: a sample can come several times when edits overlap, and comes not at all when no
/// edit shows it or needs it. Times are in the media's timescale on the movie's presentation timeline.
package struct EditedSequence: Sendable {
    /// Which sample of the table each entry is.
    package internal(set) var sampleIndex: [UInt32] = []
    /// When each entry is shown.
    package internal(set) var pts: [Int64] = []
    /// When each entry is decoded.
    package internal(set) var dts: [Int64] = []
    /// Whether an entry is decoded only because others need it, and is not shown.
    package internal(set) var discarded: [Bool] = []
    /// The first entry of each edit that brought entries, 0 without edits; never empty when there are entries.
    package internal(set) var sectionStarts: [Int] = []
    /// When the presentation of the track begins: the sum of the empty edits before it, or the first entry's time.
    package internal(set) var startTime: Int64 = 0

    /// Whether every entry is the sample of the same number and none is discarded, as in most films: what the table
    /// says of its samples then holds for the entries as it stands.
    package internal(set) var isPlain = false

    /// How many entries there are.
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
