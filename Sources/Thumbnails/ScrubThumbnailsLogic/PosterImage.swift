/// A small picture for scoring: 8-bit RGB, full range, display-coded as in sRGB or BT.709, top row first.
///
/// The intended width is 160 to 320 pixels. Posters in a list have that size, and it is small enough that grain and
/// coding noise are averaged out. All scores use the values as they are without converting colors; HDR pictures must
/// first be converted to standard range.
///
/// Thread safety: a value type.
package struct PosterImage: Hashable, Sendable {
    /// The width in pixels.
    package let width: Int
    /// The height in pixels.
    package let height: Int
    /// The red, green and blue values of each pixel, in tightly packed rows: `width * height * 3` bytes.
    package let bytes: [UInt8]

    /// Creates a picture from its bytes.
    ///
    /// - Precondition: both dimensions are above 0 and `bytes` has `width * height * 3` elements.
    package init(width: Int, height: Int, bytes: [UInt8]) {
        precondition(
            width > 0 && height > 0 && bytes.count == width * height * 3,
            "\(bytes.count) bytes for \(width) x \(height) pixels: pass 3 for each pixel")
        self.width = width
        self.height = height
        self.bytes = bytes
    }

    /// Returns the picture reduced so that neither side is longer than `limit` pixels, or itself if it already fits.
    ///
    /// Each pixel is the rounded mean of the pixels under it, which is enough for placeholders.
    ///
    /// - Precondition: `limit` is above 0.
    package func fitting(_ limit: Int) -> PosterImage {
        precondition(limit > 0, "the limit is \(limit): use 1 or more")
        let longest = max(width, height)
        guard longest > limit else { return self }
        let columns = max(1, (width * limit + longest / 2) / longest)
        let rows = max(1, (height * limit + longest / 2) / longest)
        return PosterImage(width: columns, height: rows, bytes: cellMeans(columns: columns, rows: rows))
    }

    /// Returns the rounded mean color of each cell of a grid over the picture, row by row.
    ///
    /// If the grid is finer than the picture, cells share pixels.
    func cellMeans(columns: Int, rows: Int) -> [UInt8] {
        cellMeans(columns: columns, rows: rows, in: LumaArea(columns: 0..<width, rows: 0..<height))
    }

    /// Returns the same over a part of the picture.
    func cellMeans(columns: Int, rows: Int, in area: LumaArea) -> [UInt8] {
        let bytes = bytes.span
        var means: [UInt8] = []
        means.reserveCapacity(columns * rows * 3)
        for row in 0..<rows {
            let ys = PosterImage.cell(row, of: rows, over: area.rows)
            for column in 0..<columns {
                let xs = PosterImage.cell(column, of: columns, over: area.columns)
                var (red, green, blue) = (0, 0, 0)
                for y in ys {
                    var place = (y * width + xs.lowerBound) * 3
                    for _ in xs {
                        red += Int(bytes[place])
                        green += Int(bytes[place + 1])
                        blue += Int(bytes[place + 2])
                        place += 3
                    }
                }
                let count = xs.count * ys.count
                for sum in [red, green, blue] { means.append(UInt8((sum + count / 2) / count)) }
            }
        }
        return means
    }

    /// Returns the range of pixels in cell `index` of `count` along a side, which is never empty.
    private static func cell(_ index: Int, of count: Int, over side: Range<Int>) -> Range<Int> {
        let start = min(index * side.count / count, side.count - 1)
        let end = max((index + 1) * side.count / count, start + 1)
        return side.lowerBound + start..<side.lowerBound + end
    }
}
