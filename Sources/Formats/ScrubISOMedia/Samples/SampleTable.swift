/// The samples of a track in the order in which they are decoded, one array per fact.
///
/// The first ``movieSampleCount`` samples come from the movie box, the others from movie fragments.
package struct SampleTable: Sendable {
    /// The beginning of each sample in the file, in bytes.
    package internal(set) var offsets: [Int64] = []
    /// The number of bytes of each sample.
    package internal(set) var sizes: [UInt32] = []
    /// The decode time of each sample, in the media's timescale, as the time table says (8.6.1.2).
    package internal(set) var dts: [Int64] = []
    /// The offset that is added to the decode time to make the composition time (8.6.1.3). Empty if the file has no
    /// such table, which is not the same as a table of zeros for the end of an edit.
    package internal(set) var compositionOffsets: [Int32] = []
    /// Which sample entry each sample uses, counted from 0; empty when all use the first.
    package internal(set) var descriptionIndexes: [UInt16] = []
    /// The file's claims about starting to decode at each sample; empty if every sample is a sync sample.
    package internal(set) var syncKinds: [SyncKind] = []
    /// The dependencies of each sample; empty if the file does not give them.
    package internal(set) var dependencies: [SampleDependency] = []
    /// The number of samples to decode ahead of each sample until pictures are right (`roll` group, 10.1). Negative
    /// means that many before, 0 means no statement; empty if the file has no such group.
    package internal(set) var rollDistances: [Int16] = []
    /// The NAL unit type of each sync sample (`sync` group), 0 where nothing is said; empty without the group.
    package internal(set) var syncNALTypes: [UInt8] = []
    /// The duration of the last sample, in the media's timescale; the others last until the next one is decoded.
    package internal(set) var lastDuration: Int64 = 0
    /// The number of samples that the movie box describes; the rest come from fragments.
    package internal(set) var movieSampleCount = 0
    /// Whether the movie box has a table of composition offsets.
    package internal(set) var movieHasOffsets = false
    /// The delay of the movie box's decode times for a player: the greatest negative composition offset, as a positive
    /// number. A negative offset would show a picture before it is decoded.
    package internal(set) var decodeShift: Int64 = 0
    /// The runs of samples that fragments brought, in file order.
    package internal(set) var fragmentRuns: [FragmentRun] = []
    /// The shift that a demuxer adds to the times of the movie box's samples when it reads them. It is ``decodeShift``,
    /// or more if the demuxer has seen a fragment with a greater negative offset by then.
    package internal(set) var readShift: Int64 = 0
    /// Whether a fragment carries encryption data for its samples.
    package internal(set) var hasSampleEncryption = false
    /// Whether every sample lies wholly inside the file.
    package internal(set) var isInFile = false
    /// The box path of the track, for errors.
    var path = ""
    /// Oddities in the tables that did not stop the reading.
    package internal(set) var warnings: [String] = []

    /// No decode time is further from zero than this, so that composition times stay within ±2^61 and sums of a few
    /// of them can't overflow.
    static let timeLimit: Int64 = 1 << 61 - 1 << 33

    /// The number of samples.
    package var count: Int { offsets.count }

    /// Whether every sample is a sync sample.
    package var isAllSync: Bool { syncKinds.isEmpty }

    /// Returns whether the file offers `sample` as a place to start: a sync sample, a partial one, or in the movie box
    /// a member of a random-access group. libavformat calls such a sample a key frame.
    package func isKey(_ sample: Int) -> Bool {
        guard !syncKinds.isEmpty else { return true }
        let kind = syncKinds[sample]
        return kind.contains(.sync) || kind.contains(.partial)
            || (kind.contains(.randomAccess) && sample < movieSampleCount)
    }

    /// Returns the samples for which ``isKey(_:)`` is true, in order: the quick way to learn it of all of them.
    package func keySamples() -> [Int] {
        guard !syncKinds.isEmpty else { return Array(0..<count) }
        let kinds = syncKinds.span
        let always: SyncKind = [.sync, .partial]
        let inMovie: SyncKind = [.sync, .partial, .randomAccess]
        var keys: [Int] = []
        for sample in 0..<kinds.count
        where !kinds[sample].isDisjoint(with: sample < movieSampleCount ? inMovie : always) {
            keys.append(sample)
        }
        return keys
    }

    /// Returns the composition time of `sample` in the media's timescale: decode time plus offset.
    package func compositionTime(_ sample: Int) -> Int64 {
        compositionOffsets.isEmpty ? dts[sample] : dts[sample] &+ Int64(compositionOffsets[sample])
    }

    /// Whether `sample` lies wholly inside a file of `byteCount` bytes.
    package func isWhole(_ sample: Int, byteCount: Int64) -> Bool {
        let (end, overflow) = offsets[sample].addingReportingOverflow(Int64(sizes[sample]))
        return !overflow && offsets[sample] >= 0 && end <= byteCount
    }

    /// Returns the number of samples that lie wholly inside a file of `byteCount` bytes.
    package func wholeSampleCount(byteCount: Int64) -> Int {
        let (offsets, sizes) = (offsets.span, sizes.span)
        var whole = 0
        for sample in 0..<offsets.count {
            let (end, overflow) = offsets[sample].addingReportingOverflow(Int64(sizes[sample]))
            if !overflow, offsets[sample] >= 0, end <= byteCount { whole += 1 }
        }
        return whole
    }

    /// The file's claims about starting to decode at a sample.
    package struct SyncKind: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A sync sample (`stss`, 8.6.2, or the sample flags of a fragment).
        package static let sync = SyncKind(rawValue: 1)
        /// A QuickTime partial sync sample (`stps`): an open group of pictures.
        package static let partial = SyncKind(rawValue: 2)
        /// A member of a `rap ` group (10.4): a place to start whose leading pictures may not decode.
        package static let randomAccess = SyncKind(rawValue: 4)
    }

    /// The samples of one track run of a fragment.
    package struct FragmentRun: Hashable, Sendable {
        /// The first of the run's samples in the table.
        package let firstSample: Int
        /// The beginning of the `moof` box in the file.
        package let moofOffset: Int64
        /// The greatest negative composition offset, as a positive number, that is known when the run is read.
        package internal(set) var decodeShift: Int64
    }
}

/// The dependencies of a sample, as `sdtp` and the sample flags of fragments pack them (ISO/IEC 14496-12, 8.6.4).
package struct SampleDependency: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0 unknown, 1 others depend on it, 2 no other depends on it.
    package var isDependedOn: UInt8 { rawValue >> 2 & 3 }
}
