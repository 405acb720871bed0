package import ScrubBase

/// Converts a sample table and an edit list to the packets to decode (ISO/IEC 14496-12, 8.6.5 and 8.6.6).
///
/// The standard specifies which section of the media an edit shows, but not which samples a player must decode for it,
/// nor the packets' times. In these respects, this code follows libavformat 5.1, against which frame numbers are
/// checked.
package enum EditMapping {
    /// Returns the packets of a track with pictures.
    ///
    /// - Throws: ``ScrubError/Code/unavailable`` if the edits repeat the media so often that the packets would be out
    ///   of proportion to the samples.
    package static func sequence(
        of table: SampleTable, edits: [Edit], movieTimescale: UInt32, mediaTimescale: UInt32
    ) throws(ScrubError) -> EditedSequence {
        var sequence = EditedSequence()
        let isEdited = !edits.isEmpty && table.movieSampleCount > 0 && movieTimescale > 0
        if isEdited {
            var expansion = EditExpansion(
                table, edits: edits, movieTimescale: movieTimescale, mediaTimescale: mediaTimescale)
            try expansion.run(into: &sequence)
        } else {
            appendUnedited(table, to: &sequence)
        }
        try appendFragments(
            table, offset: timeOffset(edits, movieTimescale: movieTimescale, mediaTimescale: mediaTimescale),
            to: &sequence)
        if !isEdited { sequence.startTime = sequence.pts.first ?? 0 }
        return sequence
    }

    /// Appends the samples without edits, so that the composition timeline is the presentation timeline. Decode times
    /// move back so that no picture is shown before it is decoded.
    private static func appendUnedited(_ table: SampleTable, to sequence: inout EditedSequence) {
        let samples = 0..<table.movieSampleCount
        guard !samples.isEmpty else { return }
        sequence.sectionStarts.append(0)
        sequence.isPlain = samples.count == table.count
        sequence.sampleIndex = [UInt32](capacity: samples.count) { numbers in
            for sample in samples { numbers.append(UInt32(truncatingIfNeeded: sample)) }
        }
        let times = table.dts.span
        let (decodeShift, readShift) = (table.decodeShift, table.movieReadShift)
        if decodeShift == 0, samples.count == table.count {
            sequence.dts = table.dts
        } else {
            sequence.dts = [Int64](capacity: samples.count) { all in
                for sample in samples { all.append(times[sample] &- decodeShift) }
            }
        }
        if table.movieHasOffsets {
            let offsets = table.compositionOffsets.span
            sequence.pts = [Int64](capacity: samples.count) { all in
                for sample in samples {
                    all.append(times[sample] &- decodeShift &+ Int64(offsets[sample]) &+ readShift)
                }
            }
        } else if readShift == 0 {
            sequence.pts = sequence.dts
        } else {
            sequence.pts = sequence.dts.map { $0 &+ readShift }
        }
        sequence.discarded = [Bool](repeating: false, count: samples.count)
    }

    /// Appends the samples of fragments. They are shown completely; their edit list only shifts the time. Samples whose
    /// decode time is not after the last one before their run overlap earlier samples and are not shown.
    private static func appendFragments(
        _ table: SampleTable, offset: Int64, to sequence: inout EditedSequence
    ) throws(ScrubError) {
        guard let first = table.fragmentRuns.first else { return }
        sequence.editEnd = nil
        guard offset.magnitude <= SampleTable.timeLimit else {
            throw ScrubError(
                .badData, "moves pictures to implausibly large times", place: .box("\(table.path)/edts/elst"))
        }
        sequence.reserveCapacity(sequence.count + table.count - first.firstSample)
        // Fragments continue where the movie box ends, and pictures may be reordered across that boundary.
        if sequence.count == 0 { sequence.sectionStarts.append(0) }
        for (number, run) in table.fragmentRuns.enumerated() {
            let isLast = number + 1 == table.fragmentRuns.count
            let end = isLast ? table.count : table.fragmentRuns[number + 1].firstSample
            let before = sequence.dts.last
            for sample in run.firstSample..<end {
                let dts = table.dts[sample] &- offset
                guard dts.magnitude <= SampleTable.timeLimit else {
                    throw ScrubError(
                        .badData, "moves pictures to implausibly large times",
                        place: .box("\(table.path)/edts/elst"))
                }
                let pts = dts &+ run.decodeShift &+ Int64(table.compositionOffsets[sample])
                sequence.append(
                    sample: sample, pts: pts, dts: dts, discarded: before.map { $0 >= dts } ?? false)
            }
        }
    }

    /// Returns the distance by which the edit list moves fragments toward zero. It is the media time of the first edit
    /// that shows something, less the empty edit before it.
    static func timeOffset(_ edits: [Edit], movieTimescale: UInt32, mediaTimescale: UInt32) -> Int64 {
        guard let first = edits.first, movieTimescale > 0 else { return 0 }
        guard first.isEmpty else { return max(first.mediaTime, 0) }
        let empty = rescale(
            Int64(clamping: first.segmentDuration), from: movieTimescale, to: mediaTimescale)
        let start = edits.count > 1 ? max(edits[1].mediaTime, 0) : 0
        return start &- empty
    }

    /// Returns the time in another timescale, to the nearest unit, halves away from zero.
    package static func rescale(_ time: Int64, from old: UInt32, to new: UInt32) -> Int64 {
        let product = Int128(time) * Int128(new)
        let half = Int128(old) / 2
        return Int64(clamping: (product < 0 ? product - half : product + half) / Int128(max(old, 1)))
    }
}

extension SampleTable {
    /// The shift to add to the times of the movie box's samples in addition to their offsets. A movie without offsets
    /// does not need any.
    var movieReadShift: Int64 { movieHasOffsets || !fragmentRuns.isEmpty ? readShift : 0 }
}
