import ScrubBase

/// Applies the edits of a track to its samples.
///
/// For each edit, the packets begin at the last key sample from which all of the edit's pictures can be decoded, and
/// end with the key sample after the edit. With composition offsets, they continue to the key sample after that,
/// because pictures between the two are decoded after the first but can still be shown before it. Packets whose
/// composition time is outside the edit are decoded but not shown.
struct EditExpansion {
    let table: SampleTable
    private let edits: [Edit]
    private let movieTimescale: UInt32
    private let mediaTimescale: UInt32
    private let count: Int
    let hasOffsets: Bool
    private let shift: Int64
    /// The decode time on the presentation timeline at which the next edit begins.
    private var editEnd: Int64
    /// The earliest time shown so far; a negative value is replaced by the next one.
    private var earliest: Int64 = -1
    /// The number of remaining steps before the edit list is rejected.
    private var budget: Int

    init(_ table: SampleTable, edits: [Edit], movieTimescale: UInt32, mediaTimescale: UInt32) {
        self.table = table
        self.edits = edits
        self.movieTimescale = movieTimescale
        self.mediaTimescale = mediaTimescale
        count = table.movieSampleCount
        hasOffsets = table.movieHasOffsets
        shift = table.decodeShift
        editEnd = -table.decodeShift
        // A real list shows each sample a few times; the constant leaves room for loops over short clips. A long film
        // is not looped, because about 40 bytes per packet add up.
        budget = min(table.movieSampleCount * 16 + 1 << 16, table.movieSampleCount + 1 << 22)
    }

    /// The packets of one edit.
    struct Stretch {
        var samples: Range<Int>
        /// The composition times that are shown.
        var shown: Range<Int64>
        /// The number of samples that are shown.
        var shownCount = 0
        /// The offset to add to a sample's decode time; `nil` if the edit shows no sample.
        var distance: Int64?
        /// The start of the edit.
        var start: Int64
    }

    mutating func run(into sequence: inout EditedSequence) throws(ScrubError) {
        var emptyTime: Int64 = 0
        var stretches: [Stretch] = []
        var total = 0
        for edit in edits {
            let duration = self.duration(of: edit)
            let start = editEnd
            let (end, overflow) = editEnd.addingReportingOverflow(duration)
            if overflow || end == .max { break }
            editEnd = end
            // An empty edit after the first shown one is not skipped but shows the media from its start, as libavformat
            // does.
            if stretches.isEmpty, edit.isEmpty {
                emptyTime &+= duration
                continue
            }
            sequence.sectionStarts.append(total)
            let stretch = try stretch(edit, duration: duration, from: start)
            total += stretch.samples.count
            stretches.append(stretch)
        }
        // Composition offsets move the first picture away from zero. It is moved back, and the empty edits are kept.
        let delay = max(earliest &- emptyTime, 0)
        sequence.startTime = emptyTime
        try checkTimes(stretches, delay: delay, startTime: emptyTime)
        write(stretches, delay: delay, count: total, into: &sequence)
        guard let last = stretches.last(where: { $0.shownCount > 0 }), let distance = last.distance else { return }
        sequence.editEnd = (
            last.shown.upperBound &+ distance &- delay &+ table.movieReadShift,
            Int64(mediaTimescale / max(1, movieTimescale)) + 1
        )
    }

    /// Rejects edits that move samples to impossible times.
    private func checkTimes(_ stretches: [Stretch], delay: Int64, startTime: Int64) throws(ScrubError) {
        let limit = Int128(SampleTable.timeLimit)
        var isPossible = Int128(startTime) <= limit
        for stretch in stretches where !stretch.samples.isEmpty {
            // Decode times never decrease, so checking the first and the last is enough.
            for sample in [stretch.samples.lowerBound, stretch.samples.upperBound - 1] {
                let time = stretch.distance.map { Int128(table.dts[sample]) + Int128($0) }
                isPossible = isPossible && ((time ?? Int128(stretch.start)) - Int128(delay)).magnitude <= limit
            }
        }
        guard isPossible else {
            throw ScrubError(
                .badData, "moves pictures to implausibly large times", place: .box("\(table.path)/edts/elst"))
        }
    }

    /// Returns the edit's length in the media's timescale; if it overflows, the edit shows nothing.
    private func duration(of edit: Edit) -> Int64 {
        let scaled =
            (Int128(edit.segmentDuration) * Int128(mediaTimescale) + Int128(movieTimescale) / 2)
            / Int128(movieTimescale)
        guard let duration = Int64(exactly: scaled) else { return 0 }
        let end = Int128(duration) + Int128(edit.mediaTime)
        return end < 0 || end > Int128(Int64.max) ? 0 : duration
    }

    /// Finds the packets of one edit.
    private mutating func stretch(
        _ edit: Edit, duration: Int64, from start: Int64
    ) throws(ScrubError) -> Stretch {
        let mediaEnd = edit.mediaTime &+ duration
        let first = try firstSample(for: edit.mediaTime)
        // Uses spans of a copy, because this loop visits every sample of a film and changes this value at the same
        // time.
        let (table, count) = (table, count)
        let times = table.dts.span.extracting(0..<count)
        let offsets = table.compositionOffsets.span.extracting(0..<(hasOffsets ? count : 0))
        let hasOffsets = hasOffsets
        var earliest = earliest
        var end = first
        // The first shown packet is decoded when the edit starts; the others keep their distance from it.
        var distance: Int64?
        var toPresentation: Int64 = 0
        var shownCount = 0
        var isPastKey = false
        var time = first < count ? times[first] : 0
        while end < count {
            let sample = end
            end &+= 1
            let next = end < count ? times[end] : time &+ duration
            let shown = hasOffsets ? time &+ Int64(offsets[sample]) : time
            if shown >= edit.mediaTime, shown < mediaEnd {
                if shownCount == 0 {
                    distance = start &- time
                    toPresentation = start &- time &+ shift
                }
                shownCount &+= 1
                let pts = shown &+ toPresentation
                earliest = earliest < 0 ? pts : min(earliest, pts)
            }
            if shown &+ (next &- time) >= mediaEnd, table.isKey(sample) {
                if !hasOffsets || isPastKey { break }
                isPastKey = true
            }
            time = next
        }
        self.earliest = earliest
        try spend(end - first)
        return Stretch(
            samples: first..<end, shown: edit.mediaTime..<max(mediaEnd, edit.mediaTime), shownCount: shownCount,
            distance: distance, start: start)
    }

    /// Returns the sample at which decoding begins for an edit at `mediaTime`: the last key sample that is decoded and
    /// shown no later. If there is none, it is the last sample decoded no later or, with composition offsets, the very
    /// first sample.
    private mutating func firstSample(for mediaTime: Int64) throws(ScrubError) -> Int {
        let last = lastSample(decodedBy: mediaTime)
        var sample = last
        while sample >= 0, !table.isKey(sample) {
            try spend(1)
            sample -= 1
        }
        sample = try firstOfEqual(sample, keysOnly: true)
        while hasOffsets, sample >= 0, !table.isKey(sample) || table.compositionTime(sample) > mediaTime {
            try spend(1)
            sample -= 1
        }
        if sample >= 0 { return sample }
        return hasOffsets ? 0 : max(try firstOfEqual(last, keysOnly: false), 0)
    }

    /// Returns the first of the samples (or of the keys among them) that are decoded at the same time as `sample`.
    private mutating func firstOfEqual(_ sample: Int, keysOnly: Bool) throws(ScrubError) -> Int {
        var first = sample
        var earlier = sample - 1
        while earlier >= 0, table.dts[earlier] == table.dts[sample] {
            try spend(1)
            if !keysOnly || table.isKey(earlier) { first = earlier }
            earlier -= 1
        }
        return first
    }

    /// Returns the last sample whose decode time is not after `time`, or -1.
    private func lastSample(decodedBy time: Int64) -> Int {
        table.dts[..<count].partitioningIndex { $0 > time } - 1
    }

    private mutating func spend(_ steps: Int) throws(ScrubError) {
        budget -= steps
        guard budget >= 0 else {
            throw ScrubError(.unavailable, "\(edits.count) edits repeat \(count) samples too many times")
        }
    }
}
