internal import ScrubBase
internal import ScrubIndex

/// Corrected times of frames if the segments' own contradict the display order.
enum WindowTimes {
    /// Returns non-decreasing offsets from the first frame for times in display order.
    ///
    /// A picture whose time is before its predecessor's, or missing, is placed evenly between the nearest ones in
    /// order. ffmpeg's writer of movie fragments gives the first picture of each open group a time before its leading
    /// pictures'.
    static func offsets(ofTimes times: [Int64]) -> [Int64] {
        guard let start = times.first(where: { $0 != CodedPictures.noTime }) else { return times.map { _ in 0 } }
        var offsets = times.map { time -> Int64? in
            guard time != CodedPictures.noTime else { return nil }
            let (offset, overflow) = time.subtractingReportingOverflow(start)
            return overflow ? nil : offset
        }
        // Times that are greater than a later time stay; the later time is corrected.
        var latest = Int64.min
        for place in offsets.indices {
            guard let offset = offsets[place] else { continue }
            if offset <= latest { offsets[place] = nil } else { latest = offset }
        }
        offsets[0] = offsets[0] ?? 0
        var result = offsets.map { $0 ?? 0 }
        var known = 0
        for place in offsets.indices.dropFirst() {
            guard let offset = offsets[place] else { continue }
            let steps = Int128(place - known)
            for between in known + 1..<place {
                let part = (Int128(offset) - Int128(result[known])) * Int128(between - known) / steps
                result[between] = Int64(clamping: Int128(result[known]) + part)
            }
            known = place
        }
        for place in known + 1..<max(known + 1, offsets.count) { result[place] = result[known] }
        return result
    }
}
