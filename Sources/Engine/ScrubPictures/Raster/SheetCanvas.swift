package import ScrubBase

/// An 8-bit RGB picture into which tiles are pasted, for storyboards and contact sheets.
///
/// Cost: three bytes per pixel once, then one copy of each tile's rows.
package struct SheetCanvas: Sendable {
    package let width: Int
    package let height: Int
    private let color: ColorSpec
    private var bytes: [UInt8]

    /// - Parameters:
    ///   - ground: the color of areas without a tile.
    ///   - color: the meaning of the tiles' values.
    /// - Precondition: both sides are positive.
    package init(width: Int, height: Int, ground: RGBColor = .black, color: ColorSpec = .sRGB) {
        precondition(width > 0 && height > 0, "an empty canvas")
        self.width = width
        self.height = height
        self.color = color
        let count = width * height * 3
        bytes = [UInt8](repeating: ground.red, count: count)
        guard !ground.isGray else { return }
        for start in stride(from: 0, to: count, by: 3) {
            bytes[start + 1] = ground.green
            bytes[start + 2] = ground.blue
        }
    }

    /// Pastes a tile with its top left corner at a position; gray tiles become RGB.
    ///
    /// - Precondition: the tile has 8 bits and no alpha, and is inside the canvas.
    package mutating func paste(_ tile: RasterImage, x: Int, y: Int) {
        precondition(tile.bitDepth == 8 && !tile.hasAlpha, "tiles must be opaque and have 8 bits per sample")
        precondition(
            x >= 0 && y >= 0 && x <= width - tile.width && y <= height - tile.height, "the tile is outside the canvas")
        let tile = tile.withChannels(3)
        let (width, stride) = (width, tile.bytesPerRow)
        unsafe bytes.withUnsafeMutableBytes { canvas in
            for row in 0..<tile.height {
                let start = ((y + row) * width + x) * 3
                // Slices are checked against the canvas; the rows belong to the tile.
                unsafe canvas[start..<start + stride].copyBytes(from: tile.bytes[row * stride..<(row + 1) * stride])
            }
        }
    }

    /// The present state of the canvas. Pasting continues on a copy while the picture is retained.
    package var image: RasterImage {
        RasterImage(width: width, height: height, channels: 3, bitDepth: 8, bytes: bytes, color: color)
    }
}

extension ColorSpec {
    /// Full-range RGB with BT.709's primaries and the transfer function of IEC 61966-2-1.
    package static let sRGB = ColorSpec(matrix: 0, isFullRange: true, primaries: 1, transfer: 13)
}
