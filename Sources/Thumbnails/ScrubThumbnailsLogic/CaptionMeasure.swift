/// A heuristic for text that is burned into a picture: captions, titles, credits.
///
/// A line of text is a short band of rows with quieter rows above and below it. It is full of strong horizontal steps
/// of luma, because strokes are upright. For each row, the share of steps above 48 is counted. A row is dense if the
/// share is above 5 % and above twice that of the quiet rows. The quiet rows are the lower quartile, so that a page of
/// credits does not mask itself. A line is a run of dense rows between 2 % and 12 % of the height. Each line counts
/// according to its height and density; lines that begin in the lower quarter count twice.
///
/// It does not recognize letters. Fences, keyboards and rows of windows are mistaken for text. It misses letters that
/// are taller than 12 % of the height, faint, or smaller than about four pixels.
enum CaptionMeasure {
    /// Returns 0 for no text, 1 for two full lines of captions or a page of credits, and the rows of the lines.
    static func text(_ plane: LumaPlane) -> (score: Double, rows: [Range<Int>]) {
        var lines: [Range<Int>] = []
        let densities = rowDensities(plane)
        let quiet = densities.sorted()[densities.count / 4]
        let threshold = max(0.05, 2 * quiet)
        var (sum, start) = (0.0, 0)
        while start < densities.count {
            guard densities[start] > threshold else {
                start += 1
                continue
            }
            let end = densities[start...].firstIndex { $0 <= threshold } ?? densities.count
            let height = Double(end - start) / Double(plane.height)
            // A run that touches the picture's edge has no quiet row on one side and is texture.
            if start > 0 && end < densities.count && (0.02...0.12).contains(height) {
                let density = densities[start..<end].reduce(0, +) / Double(end - start)
                let isLow = start * 4 >= plane.height * 3
                lines.append(start..<end)
                sum += height * min(1, density / 0.15) * (isLow ? 2 : 1)
            }
            start = end
        }
        return (PictureMeasures.unit(sum / 0.16), lines)
    }

    /// Returns the share of strong steps to the next pixel in each row.
    private static func rowDensities(_ plane: LumaPlane) -> [Double] {
        let width = plane.width
        guard width > 1 else { return [Double](repeating: 0, count: plane.height) }
        let values = plane.values.span
        return (0..<plane.height).map { y in
            var steps = 0
            for place in y * width..<(y + 1) * width - 1 {
                let step = Int(values[place + 1]) - Int(values[place])
                if step > 48 || step < -48 { steps += 1 }
            }
            return Double(steps) / Double(width - 1)
        }
    }
}
