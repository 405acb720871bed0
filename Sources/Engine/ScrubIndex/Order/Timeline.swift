/// Times that never decrease, for frames whose container times are missing, duplicated, or jump.
package enum Timeline {
    /// Fills in and repairs the times of frames in display order.
    ///
    /// - A missing time is set to one step after its predecessor (or before its successor at the start).
    /// - If times jump back by more than `splice`, everything after is shifted to follow. The second part's pictures
    ///   come after those of the first, whatever its clock indicates.
    /// - A smaller step back is replaced by the predecessor's time.
    ///
    /// - Parameters:
    ///   - times: presentation times in display order, `CodedPictures.noTime` for a frame without one.
    ///   - step: the usual distance between two frames, in the same units, at least 1.
    ///   - splice: the smallest step back that is a splice.
    /// - Returns: `nil` if the times need no repair.
    package static func repaired(_ times: [Int64], step: Int64, splice: Int64) -> [Int64]? {
        var isGood = true
        for i in times.indices where times[i] == CodedPictures.noTime || (i > 0 && times[i] < times[i - 1]) {
            isGood = false
            break
        }
        if isGood { return nil }
        var result = times
        let firstKnown = times.firstIndex { $0 != CodedPictures.noTime }
        let start = firstKnown.map { clampedSubtract(times[$0], clampedMultiply(Int64($0), step)) } ?? 0
        var previous: Int64?
        var shift: Int64 = 0
        for i in times.indices {
            var expected = previous.map { clampedAdd($0, step) } ?? start
            // If there is no room before the first known time, the earlier frames share it.
            if let firstKnown, i < firstKnown { expected = min(expected, times[firstKnown]) }
            var time = expected
            if times[i] != CodedPictures.noTime {
                time = clampedAdd(times[i], shift)
                if let previous, time < previous {
                    if clampedSubtract(previous, time) >= splice {
                        shift = clampedAdd(shift, clampedSubtract(expected, time))
                        time = expected
                    } else {
                        time = previous
                    }
                }
            }
            result[i] = time
            previous = time
        }
        return result
    }

    /// Returns the same times in ascending order, if they are in an order other than the display order, as decode times
    /// are. Times that jump by a splice or more are kept separate.
    ///
    /// - Returns: `nil` if they already ascend, or if some are missing.
    package static func inDisplayOrder(_ times: [Int64], splice: Int64) -> [Int64]? {
        if times.contains(CodedPictures.noTime) { return nil }
        var (result, start, latest) = (times, 0, Int64.min)
        for place in times.indices {
            if latest != .min, clampedSubtract(latest, times[place]) >= splice {
                result[start..<place].sort()
                (start, latest) = (place, times[place])
            }
            latest = max(latest, times[place])
        }
        result[start...].sort()
        return result == times ? nil : result
    }

    /// The number of distances that are inspected to find the usual one; inspecting a whole video would only take time.
    static let looked = 4096

    /// Returns the most frequent distance between adjacent times, which stands for “one frame” if nothing better is
    /// known; `nil` if there are no two times.
    package static func commonStep(_ times: [Int64]) -> Int64? {
        var counts: [Int64: Int] = [:]
        for i in times.indices.dropFirst().prefix(looked)
        where times[i] != CodedPictures.noTime && times[i - 1] != CodedPictures.noTime {
            let distance = clampedSubtract(times[i], times[i - 1])
            if distance > 0 { counts[distance, default: 0] += 1 }
        }
        // The smaller distance wins a tie, so that the result never depends on a hash seed.
        return counts.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
    }

    /// Returns the same, at least 1, with a fallback if there are no two times.
    package static func commonStep(_ times: [Int64], fallback: Int64) -> Int64 { max(1, commonStep(times) ?? fallback) }

    /// Returns whether durations apply to their own frames. If most are half the distance to the next frame, they are
    /// those of fields. If most are far above it, they are averages over pictures that are held for a long time.
    ///
    /// - Parameters:
    ///   - durations: the durations of frames in display order, 0 for a frame without one.
    ///   - times: the times of the same frames.
    static func fit(_ durations: [Int64], to times: [Int64]) -> Bool {
        var (right, wrong) = (0, 0)
        for i in times.indices.dropLast().prefix(looked)
        where times[i] != CodedPictures.noTime && times[i + 1] != CodedPictures.noTime && durations[i] > 0 {
            let distance = clampedSubtract(times[i + 1], times[i])
            guard distance > 0 else { continue }
            if isField(durations[i], of: distance) || Int128(durations[i]) * 5 >= Int128(distance) * 8 {
                wrong += 1
            } else {
                right += 1
            }
        }
        return right >= wrong
    }

    /// Returns whether a duration is that of one of two fields, rounded up or down.
    static func isField(_ duration: Int64, of step: Int64) -> Bool {
        duration == step / 2 || duration == step - step / 2
    }

    // Results stay above the smallest integer, which means no time.

    private static func clampedAdd(_ a: Int64, _ b: Int64) -> Int64 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? (b > 0 ? .max : .min + 1) : max(sum, .min + 1)
    }

    private static func clampedMultiply(_ a: Int64, _ b: Int64) -> Int64 {
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow ? ((a < 0) == (b < 0) ? .max : .min + 1) : product
    }

    private static func clampedSubtract(_ a: Int64, _ b: Int64) -> Int64 {
        let (difference, overflow) = a.subtractingReportingOverflow(b)
        return overflow ? (b < 0 ? .max : .min + 1) : max(difference, .min + 1)
    }
}
