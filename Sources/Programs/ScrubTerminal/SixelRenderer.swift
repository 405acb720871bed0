/// Pictures made of sixels: bands of six rows, with each color of a band as a row of bit patterns.
///
/// The colors are the 240 fixed ones, dithered with a fixed pattern, which does not crawl from picture to picture.
/// Pure.
struct SixelRenderer: Sendable {
    private static let pattern: [Int] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
    /// Whether colors between two fixed ones are mixed from both.
    var isDithered = true

    /// Returns the bytes that draw a picture on the screen.
    ///
    /// - Precondition: the pixels have the layout's size.
    func render(_ pixels: TerminalPixels, _ layout: TerminalLayout) -> [UInt8] {
        let (width, height) = (pixels.width, pixels.height)
        let numbers = quantized(pixels)
        var out: [UInt8] = []
        out.reserveCapacity(width * height / 2)
        out.escape("[\(layout.row + 1);\(layout.column + 1)H")
        // Square pixels; positions that are not drawn keep their content.
        out.escape("P0;1;0q")
        out.append(contentsOf: "\"1;1;\(width);\(height)".utf8)
        var isUsed = [Bool](repeating: false, count: 256)
        for number in numbers { isUsed[Int(number)] = true }
        for number in 16..<256 where isUsed[number] {
            let color = TerminalPalette.color(number)
            func percent(_ code: UInt32) -> UInt32 { (code * 100 + 127) / 255 }
            out.append(
                contentsOf: "#\(number);2;\(percent(color >> 16));\(percent(color >> 8 & 255));\(percent(color & 255))"
                    .utf8)
        }
        // One row of patterns for each color of the band.
        var patterns = [UInt8](repeating: 0, count: 256 * width)
        for top in stride(from: 0, to: height, by: 6) {
            var used: [Int] = []
            var isSeen = [Bool](repeating: false, count: 256)
            for y in top..<min(top + 6, height) {
                for x in 0..<width {
                    let number = Int(numbers[y * width + x])
                    if !isSeen[number] {
                        isSeen[number] = true
                        used.append(number)
                        for place in number * width..<(number + 1) * width { patterns[place] = 0 }
                    }
                    patterns[number * width + x] |= 1 << UInt8(y - top)
                }
            }
            for (place, number) in used.enumerated() {
                if place > 0 { out.append(UInt8(ascii: "$")) }
                out.append(contentsOf: "#\(number)".utf8)
                SixelRenderer.append(patterns[number * width..<(number + 1) * width], to: &out)
            }
            // There is no line feed after the last band, because it might scroll.
            if top + 6 < height { out.append(UInt8(ascii: "-")) }
        }
        out.escape("\\")
        return TerminalText.synchronized(out)
    }

    /// Appends a row of run-length encoded patterns, without trailing empty ones.
    private static func append(_ row: ArraySlice<UInt8>, to out: inout [UInt8]) {
        var end = row.endIndex
        while end > row.startIndex, row[end - 1] == 0 { end -= 1 }
        var place = row.startIndex
        while place < end {
            let pattern = row[place]
            var count = 1
            while place + count < end, row[place + count] == pattern { count += 1 }
            if count > 3 {
                out.append(contentsOf: "!\(count)".utf8)
                out.append(63 + pattern)
            } else {
                for _ in 0..<count { out.append(63 + pattern) }
            }
            place += count
        }
    }

    private func quantized(_ pixels: TerminalPixels) -> [UInt8] {
        var numbers = [UInt8](repeating: 16, count: pixels.width * pixels.height)
        for y in 0..<pixels.height {
            for x in 0..<pixels.width {
                var color = pixels[x, y]
                if isDithered {
                    // The cube's steps are about 40 apart.
                    let shift = SixelRenderer.pattern[(y & 3) << 2 | x & 3] * 2 - 15
                    func moved(_ code: UInt32) -> UInt32 { UInt32(max(0, min(255, Int(code) + shift))) }
                    color = moved(color >> 16) << 16 | moved(color >> 8 & 255) << 8 | moved(color & 255)
                }
                numbers[y * pixels.width + x] = TerminalPalette.nearest(color)
            }
        }
        return numbers
    }
}
