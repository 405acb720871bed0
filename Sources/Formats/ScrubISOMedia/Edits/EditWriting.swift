import ScrubBase

extension EditExpansion {
    /// Writes the packets of all edits, one property at a time.
    func write(
        _ stretches: [Stretch], delay: Int64, count: Int, into sequence: inout EditedSequence
    ) {
        sequence.isPlain = stretches.count == 1 && count == table.count && stretches[0].shownCount == count
        sequence.sampleIndex = [UInt32](capacity: count) { numbers in
            for stretch in stretches {
                for sample in stretch.samples { numbers.append(UInt32(truncatingIfNeeded: sample)) }
            }
        }
        let isMoved = !sequence.isPlain || stretches[0].distance != delay
        sequence.dts = isMoved ? decodeTimes(of: stretches, delay: delay, count: count) : table.dts
        sequence.pts = presentationTimes(of: stretches, delay: delay, count: count)
        sequence.discarded =
            sequence.isPlain
            ? [Bool](repeating: false, count: count) : discarded(of: stretches, count: count)
    }

    private func decodeTimes(of stretches: [Stretch], delay: Int64, count: Int) -> [Int64] {
        let times = table.dts.span
        return [Int64](capacity: count) { all in
            for stretch in stretches {
                // During an edit that shows nothing, the clock does not advance.
                guard let distance = stretch.distance else {
                    all.append(repeating: stretch.start &- delay, count: stretch.samples.count)
                    continue
                }
                let move = distance &- delay
                for sample in stretch.samples { all.append(times[sample] &+ move) }
            }
        }
    }

    private func presentationTimes(of stretches: [Stretch], delay: Int64, count: Int) -> [Int64] {
        let times = table.dts.span
        let offsets = table.compositionOffsets.span
        let (hasOffsets, readShift) = (hasOffsets, table.movieReadShift)
        return [Int64](capacity: count) { all in
            for stretch in stretches {
                let move = (stretch.distance ?? stretch.start) &- delay &+ readShift
                let isStill = stretch.distance == nil
                for sample in stretch.samples {
                    let time = isStill ? move : times[sample] &+ move
                    all.append(hasOffsets ? time &+ Int64(offsets[sample]) : time)
                }
            }
        }
    }

    private func discarded(of stretches: [Stretch], count: Int) -> [Bool] {
        let times = table.dts.span
        let offsets = table.compositionOffsets.span
        let hasOffsets = hasOffsets
        return [Bool](capacity: count) { all in
            for stretch in stretches {
                for sample in stretch.samples {
                    let time = hasOffsets ? times[sample] &+ Int64(offsets[sample]) : times[sample]
                    all.append(!stretch.shown.contains(time))
                }
            }
        }
    }
}
