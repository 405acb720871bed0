/// The foreground of a picture: for each cell of a small grid, a number from 0 for background to 1 for subject.
///
/// The background is everything that appears at the edge of the picture and can be reached from there without crossing
/// an outline. A cell belongs to the subject as far as both conditions apply:
///
/// - Its color is rare at the edge: the distance within which 8 % of the edge's cells are, from 5 for nothing to 40 for
///   full.
/// - It is separated from the edge, measured by the cheapest path from there. A step costs the difference of two
///   neighbors beyond the usual difference of neighbors in this picture, as d² / (d² + 38²). This is geodesic saliency
///   (Wei, Wen, Zhu and Sun, "Geodesic Saliency Using Background Priors", ECCV 2012), with their proposed threshold on
///   small steps.
///
/// The first condition alone accepts every texture whose spots happen not to touch the edge. The second alone accepts
/// everything with many outlines, such as a tree or a gravel path. The spectral residual (Hou and Zhang, CVPR 2007) was
/// tried first. Its map consisted of edges and corners, spread nearly evenly over every picture.
///
/// The numbers were chosen with videos for which a person's posters were known, see docs/reports/2026-11-posters.md.
/// Only sums, products, quotients and square roots are used, so that every machine gives the same result.
struct SubjectMap {
    let columns: Int
    let rows: Int
    /// A value in 0...1 for each cell, row by row.
    let values: [Double]
    /// The mean color of each cell.
    let colors: [UInt8]

    /// The number of cells along the longer side. The cost grows with its third power; half of it misses faces.
    static let side = 48

    /// Creates the map.
    ///
    /// - Parameter without: rows of a title, relative to the area, because large letters are not a subject.
    init(_ image: PosterImage, in area: LumaArea, without title: Range<Int> = 0..<0) {
        let longest = max(area.width, area.height)
        let side = min(SubjectMap.side, longest)
        columns = max(1, (area.width * side + longest / 2) / longest)
        rows = max(1, (area.height * side + longest / 2) / longest)
        colors = image.cellMeans(columns: columns, rows: rows, in: area)
        let grid = Grid(columns: columns, rows: rows, colors: colors)
        let walls = grid.distancesFromEdge()
        let rarities = grid.raritiesAtEdge()
        var values = zip(walls, rarities).map { wall, rarity in
            let square = wall * wall
            return PictureMeasures.unit((rarity - 5) / 35) * (square / (square + 38 * 38))
        }
        for row in title where row < area.height {
            let y = row * rows / area.height
            for x in 0..<columns { values[y * columns + x] = 0 }
        }
        self.values = values
    }

    /// Colors in a space whose distances approximate the perceived ones.
    private struct Grid {
        let columns: Int
        let rows: Int
        private let places: [Place]

        private struct Place {
            let luma: Double
            let blue: Double
            let red: Double
        }

        init(columns: Int, rows: Int, colors: [UInt8]) {
            (self.columns, self.rows) = (columns, rows)
            places = (0..<columns * rows).map { cell in
                let (red, green) = (Double(colors[3 * cell]), Double(colors[3 * cell + 1]))
                let blue = Double(colors[3 * cell + 2])
                // BT.601's Y, Cb and Cr, with the latter two scaled by 1.5, so that different colors of equal lightness
                // are distinct.
                let luma = 0.299 * red + 0.587 * green + 0.114 * blue
                return Place(luma: luma, blue: 0.846 * (blue - luma), red: 1.0695 * (red - luma))
            }
        }

        private func distance(_ a: Int, _ b: Int) -> Double {
            let (first, second) = (places[a], places[b])
            let (luma, blue) = (first.luma - second.luma, first.blue - second.blue)
            let red = first.red - second.red
            return (luma * luma + blue * blue + red * red).squareRoot()
        }

        /// Returns the distance of each cell from the edge's colors: that within which 8 % of the edge's cells are, at
        /// most 40.
        func raritiesAtEdge() -> [Double] {
            let edge = (0..<columns * rows).filter { isEdge($0) }
            let wanted = edge.count * 8 / 100
            return (0..<columns * rows).map { cell in
                // Whole distances suffice, and counting is cheaper than sorting.
                var counts = [Int](repeating: 0, count: 41)
                for other in edge { counts[min(40, Int(distance(cell, other)))] += 1 }
                var sum = 0
                for (distance, count) in counts.enumerated() {
                    sum += count
                    if sum > wanted { return Double(distance) }
                }
                return 40
            }
        }

        private func isEdge(_ cell: Int) -> Bool {
            let (x, y) = (cell % columns, cell / columns)
            return x == 0 || y == 0 || x == columns - 1 || y == rows - 1
        }

        /// Returns the cost of the cheapest path from the edge to each cell.
        func distancesFromEdge() -> [Double] {
            let count = columns * rows
            let toRight = (0..<count).map { $0 % columns + 1 < columns ? distance($0, $0 + 1) : 0 }
            let down = (0..<count).map { $0 + columns < count ? distance($0, $0 + columns) : 0 }
            let usual = usualStep(toRight, down)
            var costs = (0..<count).map { isEdge($0) ? 0.0 : Double.greatestFiniteMagnitude }
            func relax(_ cell: Int, from other: Int, step: Double) -> Bool {
                let cost = costs[other] + max(0, step - usual)
                guard cost < costs[cell] else { return false }
                costs[cell] = cost
                return true
            }
            // Two sweeps find every path with few turns; mazes need more, and beyond sixteen there is no significant
            // gain.
            for _ in 0..<16 {
                var changed = false
                for cell in 0..<count where !isEdge(cell) {
                    changed = relax(cell, from: cell - 1, step: toRight[cell - 1]) || changed
                    changed = relax(cell, from: cell - columns, step: down[cell - columns]) || changed
                }
                for cell in (0..<count).reversed() where !isEdge(cell) {
                    changed = relax(cell, from: cell + 1, step: toRight[cell]) || changed
                    changed = relax(cell, from: cell + columns, step: down[cell]) || changed
                }
                if !changed { break }
            }
            return costs
        }

        /// Returns the median step between neighbors, limited to 3, below which it is noise, to 30.
        private func usualStep(_ toRight: [Double], _ down: [Double]) -> Double {
            let count = columns * rows
            let steps =
                (0..<count).filter { $0 % columns + 1 < columns }.map { toRight[$0] }
                + (0..<count).filter { $0 + columns < count }.map { down[$0] }
            guard !steps.isEmpty else { return 3 }
            return min(max(steps.sorted()[steps.count / 2], 3), 30)
        }
    }
}
