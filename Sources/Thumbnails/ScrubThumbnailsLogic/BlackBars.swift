/// The black bars of a video that is wider or narrower than its picture.
///
/// A bar is a run of dark rows (or columns) from an edge: in each, 98 % of the pixels have a luma of at most 24. Bars
/// come in pairs: a run without a matching one on the opposite side is a night sky or a floor, not a bar. The two may
/// differ by 2 % of the side, and by at least 2 pixels, to allow for scaling and bars of odd heights. Runs below 2 % of
/// the side are not bars. Captions inside a bar end the run, so such bars are not detected.
struct BlackBars {
    /// The area between the bars; the whole picture if it has no bars or is dark everywhere.
    let area: LumaArea
    /// The fraction of the picture's area covered by bars.
    let share: Double

    init(_ plane: LumaPlane) {
        let (width, height) = (plane.width, plane.height)
        let values = plane.values.span
        let rows = BlackBars.between(height) { y in
            BlackBars.isDark(start: y * width, stride: 1, count: width, in: values)
        }
        let columns = BlackBars.between(width) { x in
            BlackBars.isDark(start: rows.lowerBound * width + x, stride: width, count: rows.count, in: values)
        }
        area = LumaArea(columns: columns, rows: rows)
        share = 1 - Double(columns.count * rows.count) / Double(width * height)
    }

    /// Returns the part between two equal runs of dark lines at the ends, or everything.
    private static func between(_ length: Int, isDark: (Int) -> Bool) -> Range<Int> {
        var start = 0
        while start < length && isDark(start) { start += 1 }
        guard start < length else { return 0..<length }
        var end = length
        while end > start && isDark(end - 1) { end -= 1 }
        let (first, last) = (start, length - end)
        guard min(first, last) * 50 >= length, min(first, last) > 0, abs(first - last) <= max(2, length / 50) else {
            return 0..<length
        }
        return start..<end
    }

    private static func isDark(start: Int, stride: Int, count: Int, in values: Span<UInt8>) -> Bool {
        let allowed = count / 50
        var (bright, place) = (0, start)
        for _ in 0..<count {
            if values[place] > 24 {
                bright += 1
                if bright > allowed { return false }
            }
            place += stride
        }
        return true
    }
}
