/// The overall look of a picture: the mean color of each cell of an 8 by 8 grid.
///
/// It is a grid rather than a perceptual hash of luma, because frequency-based hashes are random on flat pictures and
/// ignore color, and videos repeat compositions in different colors.
///
/// Thread safety: a value type.
package struct PosterSignature: Hashable, Sendable {
    /// The red, green and blue values of the 64 cells, row by row: 192 bytes.
    let cells: [UInt8]

    /// Creates the signature of a picture of any size.
    package init(_ image: PosterImage) { cells = image.cellMeans(columns: 8, rows: 8) }

    /// Returns the mean absolute difference of the cells, from 0 for identical ones to 1 for black and white.
    package func distance(to other: PosterSignature) -> Double {
        var sum = 0
        for i in cells.indices { sum += abs(Int(cells[i]) - Int(other.cells[i])) }
        return Double(sum) / Double(255 * cells.count)
    }

    /// The distance below which two pictures are considered the same shot: 0.04, about 10 of 255 steps per cell.
    ///
    /// It was chosen with a few videos. Seconds of a shot with a still camera were 0.001 to 0.02 apart, with a moving
    /// camera up to 0.07, and three cuts 0.27 and more. Dark shots are all close to each other and may be considered
    /// the same.
    package static let nearDuplicate = 0.04
}
