/// The samples of a track in decode order, with one array per property.
///
/// The first ``movieSampleCount`` samples come from the movie box, the others from movie fragments.
package struct SampleTable: Sendable {
    /// The offset of each sample in the file, in bytes.
    package internal(set) var offsets: [Int64] = []
    /// The number of bytes of each sample.
    package internal(set) var sizes: [UInt32] = []
    /// The decode time of each sample, in the media's timescale, according to the time table (8.6.1.2).
    package internal(set) var dts: [Int64] = []
    /// The offset from the decode time to the composition time (8.6.1.3). Empty if the file has no such table, which,
    /// for the end of an edit, is not the same as a table of zeros.
    package internal(set) var compositionOffsets: [Int32] = []
    /// The sample entry that each sample uses, counted from 0; empty if all use the first one.
    package internal(set) var descriptionIndexes: [UInt16] = []
    /// The file's claims about whether decoding can start at each sample; empty if every sample is a sync sample.
    package internal(set) var syncKinds: [SyncKind] = []
    /// The dependencies of each sample; empty if the file does not specify them.
    package internal(set) var dependencies: [SampleDependency] = []
    /// The number of samples to decode ahead of each sample until pictures are correct (`roll` group, 10.1). A negative
    /// number counts samples before it, and 0 means unspecified; empty if the file has no such group.
    package internal(set) var rollDistances: [Int16] = []
    /// The NAL unit type of each sync sample (`sync` group), 0 if unspecified; empty without the group.
    package internal(set) var syncNALTypes: [UInt8] = []
    /// The duration of the last sample, in the media's timescale; other samples last until the next one is decoded.
    package internal(set) var lastDuration: Int64 = 0
    /// The number of samples that the movie box describes; the rest come from fragments.
    package internal(set) var movieSampleCount = 0
    /// Whether the movie box has a table of composition offsets.
    package internal(set) var movieHasOffsets = false
    /// The delay of the movie box's decode times for a player: the greatest negative composition offset, as a positive
    /// number. A negative offset would show a picture before it is decoded.
    package internal(set) var decodeShift: Int64 = 0
    /// The runs of samples from fragments, in file order.
    package internal(set) var fragmentRuns: [FragmentRun] = []
    /// The shift that a demuxer adds to the times of the movie box's samples when it reads them. It is ``decodeShift``,
    /// or more if the demuxer has already read a fragment with a greater negative offset.
    package internal(set) var readShift: Int64 = 0
    /// Whether a fragment carries encryption data for its samples.
    package internal(set) var hasSampleEncryption = false
    /// Whether every sample is completely inside the file.
    package internal(set) var isInFile = false
    /// The box path of the track, for errors.
    var path = ""
    /// Irregularities in the tables that did not prevent reading.
    package internal(set) var warnings: [String] = []

    /// The maximum magnitude of decode times. It keeps composition times within ±2^61, so that sums of a few of them
    /// cannot overflow.
    static let timeLimit: Int64 = 1 << 61 - 1 << 33

    /// The number of samples.
    package var count: Int { offsets.count }

    /// Whether every sample is a sync sample.
    package var isAllSync: Bool { syncKinds.isEmpty }

    /// Returns whether the file declares `sample` as a starting point: a sync sample, a partial sync sample or, in the
    /// movie box, a member of a random-access group. libavformat calls this a key frame.
    package func isKey(_ sample: Int) -> Bool {
        guard !syncKinds.isEmpty else { return true }
        let kind = syncKinds[sample]
        return kind.contains(.sync) || kind.contains(.partial)
            || (kind.contains(.randomAccess) && sample < movieSampleCount)
    }

    /// Returns the samples for which ``isKey(_:)`` is true, in order; this is faster than checking each one.
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

    /// Whether `sample` is completely inside a file of `byteCount` bytes.
    package func isWhole(_ sample: Int, byteCount: Int64) -> Bool {
        let (end, overflow) = offsets[sample].addingReportingOverflow(Int64(sizes[sample]))
        return !overflow && offsets[sample] >= 0 && end <= byteCount
    }

    /// Returns the number of samples that are completely inside a file of `byteCount` bytes.
    package func wholeSampleCount(byteCount: Int64) -> Int {
        let (offsets, sizes) = (offsets.span, sizes.span)
        var whole = 0
        for sample in 0..<offsets.count {
            let (end, overflow) = offsets[sample].addingReportingOverflow(Int64(sizes[sample]))
            if !overflow, offsets[sample] >= 0, end <= byteCount { whole += 1 }
        }
        return whole
    }

    /// The file's claims about whether decoding can start at a sample.
    package struct SyncKind: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// A sync sample (`stss`, 8.6.2, or the sample flags of a fragment).
        package static let sync = SyncKind(rawValue: 1)
        /// A QuickTime partial sync sample (`stps`): an open group of pictures.
        package static let partial = SyncKind(rawValue: 2)
        /// A member of a `rap ` group (10.4): a starting point whose leading pictures may not be decodable.
        package static let randomAccess = SyncKind(rawValue: 4)
    }

    /// The samples of one track run of a fragment.
    package struct FragmentRun: Hashable, Sendable {
        /// The first of the run's samples in the table.
        package let firstSample: Int
        /// The offset of the `moof` box in the file.
        package let moofOffset: Int64
        /// The greatest negative composition offset, as a positive number, known when the run is read.
        package internal(set) var decodeShift: Int64
    }
}

/// The dependencies of a sample, as packed in `sdtp` and in the sample flags of fragments (ISO/IEC 14496-12, 8.6.4).
package struct SampleDependency: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// 0 means unknown, 1 that others depend on it, 2 that no others depend on it.
    package var isDependedOn: UInt8 { rawValue >> 2 & 3 }
}
