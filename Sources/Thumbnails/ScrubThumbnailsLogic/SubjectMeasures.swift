/// The measures derived from a ``SubjectMap`` for a picture as a whole.
struct SubjectMeasures {
    /// Whether there is a single subject in front of a background, 0...1: see ``PosterScores/Criterion/subject``.
    let subject: Double
    /// Whether the subject has skin, 0...1: see ``PosterScores/Criterion/skin``.
    let skin: Double

    /// The measures of a picture without a subject.
    static let nothing = SubjectMeasures(subject: 0, skin: 0)

    private init(subject: Double, skin: Double) { (self.subject, self.skin) = (subject, skin) }

    init(_ map: SubjectMap) {
        var (mass, sumX, sumY, squares, skinMass) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for y in 0..<map.rows {
            for x in 0..<map.columns {
                let cell = y * map.columns + x
                let value = map.values[cell]
                guard value > 0 else { continue }
                mass += value
                sumX += value * Double(x)
                sumY += value * Double(y)
                squares += value * Double(x * x + y * y)
                if SubjectMeasures.isSkin(map.colors[3 * cell..<3 * cell + 3]) { skinMass += value }
            }
        }
        let count = Double(map.columns * map.rows)
        guard mass > 0 else {
            self = .nothing
            return
        }
        let (x, y) = (sumX / mass, sumY / mass)
        // A disc of this mass has a variance of mass / 2π around its middle; a scattered subject has more.
        let variance = max(squares / mass - x * x - y * y, 1 / 12)
        let compactness = min(1, mass / (2 * Double.pi) / variance)
        let offsetX = map.columns > 1 ? 2 * x / Double(map.columns - 1) - 1 : 0
        let offsetY = map.rows > 1 ? 2 * y / Double(map.rows - 1) - 1 : 0
        let centering = max(0, 1 - (offsetX * offsetX + offsetY * offsetY) / 1.2)
        subject = min(1, mass / count / 0.2) * min(1, compactness / 0.3) * centering
        skin = min(1, skinMass / count / 0.04)
    }

    private static func isSkin(_ color: ArraySlice<UInt8>) -> Bool {
        let (red, green) = (Int(color[color.startIndex]), Int(color[color.startIndex + 1]))
        let blue = Int(color[color.startIndex + 2])
        // BT.601 in 256ths, rounded to nearest like 8-bit Cb and Cr.
        let cb = (-43 * red - 85 * green + 128 * blue + 128) >> 8 + 128
        let cr = (128 * red - 107 * green - 21 * blue + 128) >> 8 + 128
        guard (77...127).contains(cb), (133...173).contains(cr), red >= 50 else { return false }
        // The box alone also contains red lamps, pink water and red paper.
        return (45 * red...92 * red).contains(100 * green) && 100 * blue <= 95 * green + 800
    }
}
