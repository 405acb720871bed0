/// The look of a picture from afar: the mean color of each cell of an 8 by 8 grid.
///
/// A grid rather than a perceptual hash of luma. Hashes of frequencies are chance on flat pictures and don't see color,
/// and films repeat one composition in other colors.
///
/// Thread safety: a value.
package struct PosterSignature: Hashable, Sendable {
    /// Red, green and blue of the 64 cells, row by row: 192 bytes.
    let cells: [UInt8]

    /// Takes the signature of a picture of any size.
    package init(_ image: PosterImage) { cells = image.cellMeans(columns: 8, rows: 8) }

    /// Returns the mean absolute difference of the cells, from 0 for the same to 1 for black and white.
    package func distance(to other: PosterSignature) -> Double {
        var sum = 0
        for i in cells.indices { sum += abs(Int(cells[i]) - Int(other.cells[i])) }
        return Double(sum) / Double(255 * cells.count)
    }

    /// Below this distance two pictures are taken for the same shot: 0.04, some 10 of 255 steps per cell.
    ///
    /// A judgment from few films. Seconds of a shot with a still camera were 0.001 to 0.02 apart, of a moving camera up
    /// to 0.07, and three cuts 0.27 and more. Dark shots are all near each other and may be taken for one.
    package static let nearDuplicate = 0.04
}
