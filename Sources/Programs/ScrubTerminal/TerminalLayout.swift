/// A picture's position in a terminal, and its size in pixels.
struct TerminalLayout: Hashable, Sendable {
    /// The first cell, from 0.
    var column = 0
    var row = 0
    /// The cells that the picture covers.
    var columns: Int
    var rows: Int
    /// Its size in pixels.
    var width: Int
    var height: Int

    /// Creates the largest centered layout for a picture's shape in a terminal, above a status line.
    ///
    /// - Parameters:
    ///   - width: the picture's columns of square pixels.
    ///   - height: its rows.
    init(width: Int, height: Int, in size: TerminalSize, _ graphics: TerminalGraphics, hasStatus: Bool) {
        self.init(width: width, height: height, in: size, graphics, footRows: hasStatus ? 1 : 0)
    }

    /// - Parameter footRows: the number of last rows without a picture.
    init(width: Int, height: Int, in size: TerminalSize, _ graphics: TerminalGraphics, footRows: Int) {
        // Sixels in the last row would make the terminal scroll.
        let reserved = max(footRows, graphics == .sixel ? 1 : 0)
        let (columns, rows) = (size.columns, max(1, size.rows - reserved))
        // The picture's units: terminal pixels, or half cells.
        let unit: (width: Int, height: Int, across: Int, down: Int) =
            switch graphics {
            case .kitty, .sixel: (1, 1, size.cell.width, size.cell.height)
            // There, a pixel is as large as half a cell.
            case .trueColor, .indexedColor: (size.cell.width * 2, size.cell.height, 1, 2)
            }
        let limit = graphics == .sixel ? 1000 : 4096
        let (mostWide, mostHigh) = (min(columns * unit.across, limit), min(rows * unit.down, limit))
        // In the terminal's own units: width * unit.height, each of a unit's height.
        let (wide, high) = (max(1, width) * unit.height, max(1, height) * unit.width)
        var (made, tall) = (mostWide, mostHigh)
        if wide * mostHigh >= high * mostWide {
            tall = max(1, min(mostHigh, (mostWide * high * 2 + wide) / (wide * 2)))
        } else {
            made = max(1, min(mostWide, (mostHigh * wide * 2 + high) / (high * 2)))
        }
        // Bands of sixels are six pixels high; half blocks come in pairs.
        if graphics == .sixel { tall = max(6, tall / 6 * 6) }
        if unit.down == 2, unit.across == 1 { tall = min(mostHigh, (tall + 1) / 2 * 2) }
        (self.width, self.height) = (made, tall)
        self.columns = min(columns, (made + unit.across - 1) / unit.across)
        self.rows = min(rows, (tall + unit.down - 1) / unit.down)
        (column, row) = ((columns - self.columns) / 2, (rows - self.rows) / 2)
    }
}

/// Pixels for a terminal: 8-bit red, green and blue, top row first, without padding.
struct TerminalPixels: Sendable {
    var width: Int
    var height: Int
    var bytes: [UInt8]

    /// - Precondition: there are three bytes for each pixel.
    init(width: Int, height: Int, bytes: [UInt8]) {
        precondition(width >= 0 && height >= 0 && bytes.count >= width * height * 3, "too few bytes")
        (self.width, self.height, self.bytes) = (width, height, bytes)
    }

    /// A pixel as `0xRRGGBB`; black beyond the edges.
    @inline(__always)
    subscript(x: Int, y: Int) -> UInt32 {
        guard x >= 0, x < width, y >= 0, y < height else { return 0 }
        let at = (y * width + x) * 3
        return UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2])
    }
}

/// The 240 colors that all terminals with 256 colors share: a cube with six steps from 16 on, and 24 grays from 232 on.
enum TerminalPalette {
    private static let steps: [Int] = [0, 95, 135, 175, 215, 255]

    /// Returns the color with a number from 16 to 255.
    static func color(_ number: Int) -> UInt32 {
        guard number < 232 else {
            let gray = UInt32(8 + 10 * (number - 232))
            return gray << 16 | gray << 8 | gray
        }
        let place = max(0, number - 16)
        let (r, g, b) = (steps[place / 36], steps[place / 6 % 6], steps[place % 6])
        return UInt32(r) << 16 | UInt32(g) << 8 | UInt32(b)
    }

    /// Returns the number of the nearest color, from a table of 32,768.
    @inline(__always)
    static func nearest(_ color: UInt32) -> UInt8 {
        let (r, g, b) = (color >> 19 & 31, color >> 11 & 31, color >> 3 & 31)
        return table[Int(r << 10 | g << 5 | b)]
    }

    private static let table: [UInt8] = (0..<32_768).map { (place: Int) -> UInt8 in
        // The color that the table entry stands for; its ends stay black and white.
        let (r, g, b) = (wide(place >> 10), wide(place >> 5 & 31), wide(place & 31))
        let cube: Int = 16 + 36 * step(r) + 6 * step(g) + step(b)
        let gray: Int = 232 + max(0, min(23, ((r + g + b) / 3 - 3) / 10))
        return UInt8(distance(gray, r, g, b) < distance(cube, r, g, b) ? gray : cube)
    }

    private static func wide(_ five: Int) -> Int { five << 3 | five >> 2 }

    private static func step(_ value: Int) -> Int {
        steps.indices.min { abs(steps[$0] - value) < abs(steps[$1] - value) } ?? 0
    }

    private static func distance(_ number: Int, _ r: Int, _ g: Int, _ b: Int) -> Int {
        let color = color(number)
        let (x, y, z) = (Int(color >> 16) - r, Int(color >> 8 & 255) - g, Int(color & 255) - b)
        // The eye is most sensitive to green and least to blue.
        return 3 * x * x + 6 * y * y + z * z
    }
}
