import Foundation
import ScrubBase
import ScrubTestSupport
import Testing

@testable import ScrubTerminal

@Suite struct TerminalRendererTests {
    private static func noise(_ width: Int, _ height: Int, _ seed: UInt64) -> TerminalPixels {
        var random = SplitMix(seed)
        return TerminalPixels(
            width: width, height: height,
            bytes: (0..<width * height * 3).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    private func layout(_ columns: Int, _ rows: Int, _ graphics: TerminalGraphics = .trueColor) -> TerminalLayout {
        TerminalLayout(
            width: columns * 8, height: rows * 16, in: TerminalSize(columns: columns, rows: rows), graphics,
            hasStatus: false)
    }

    @Test(arguments: [UInt64(1), 2, 3]) func `half blocks show the pixels, and later pictures only what changed`(
        seed: UInt64
    ) {
        let place = layout(23, 9)
        #expect(place.width == 23 && place.height == 18)
        var renderer = HalfBlockRenderer(isTrueColor: true)
        var screen = ScreenModel(columns: 23, rows: 9)
        var random = SplitMix(seed)
        var pixels = TerminalRendererTests.noise(23, 18, seed)
        for turn in 0..<20 {
            let bytes = renderer.render(pixels, place)
            screen.feed(bytes)
            for y in 0..<18 {
                for x in 0..<23 {
                    #expect(screen.cells[y / 2][x].halves[y % 2] == pixels[x, y], "turn \(turn), \(x), \(y)")
                }
            }
            #expect(renderer.render(pixels, place).isEmpty)
            // A few pixels change, some to their neighbour's color in the cell.
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                let (x, y) = (Int.random(in: 0..<23, using: &random), Int.random(in: 0..<9, using: &random) * 2)
                for channel in 0..<3 {
                    let value = UInt8.random(in: 0...255, using: &random)
                    pixels.bytes[(y * 23 + x) * 3 + channel] = value
                    if turn % 2 == 0 { pixels.bytes[((y + 1) * 23 + x) * 3 + channel] = value }
                }
            }
            if turn == 10 { renderer.invalidate() }
        }
        #expect(screen.problems.isEmpty && !screen.isScrolled && !screen.isUpdating)
    }

    @Test func `one changed cell is some bytes`() {
        let place = layout(160, 45)
        var renderer = HalfBlockRenderer(isTrueColor: true)
        var pixels = TerminalRendererTests.noise(160, 90, 5)
        #expect(renderer.render(pixels, place).count > 160 * 45 * 20)
        pixels.bytes[0] ^= 0x80
        #expect(renderer.render(pixels, place).count < 80)
    }

    @Test func `of 256 colors the nearest of the fixed 240 is taken`() {
        #expect(TerminalPalette.nearest(0) == 16 && TerminalPalette.nearest(0xFFFFFF) == 231)
        #expect(TerminalPalette.color(16) == 0 && TerminalPalette.color(231) == 0xFFFFFF)
        #expect(TerminalPalette.color(TerminalPalette.nearest(0xFF0000).asInt) == 0xFF0000)
        let place = layout(10, 4)
        var renderer = HalfBlockRenderer(isTrueColor: false)
        var screen = ScreenModel(columns: 10, rows: 4)
        let pixels = TerminalRendererTests.noise(10, 8, 7)
        screen.feed(renderer.render(pixels, place))
        for y in 0..<8 {
            for x in 0..<10 {
                let (seen, real) = (screen.cells[y / 2][x].halves[y % 2], pixels[x, y])
                for shift: UInt32 in [0, 8, 16] {
                    #expect(abs(Int(seen >> shift & 255) - Int(real >> shift & 255)) <= 96)
                }
            }
        }
        #expect(screen.problems.isEmpty)
    }

    @Test func `kitty's pictures are whole in small pieces, and take turns`() {
        var renderer = KittyRenderer()
        var screen = ScreenModel(columns: 80, rows: 24)
        var shown: Set<String> = []
        for turn in 0..<5 {
            let pixels = TerminalRendererTests.noise(61 + turn, 37, UInt64(turn))
            let place = TerminalLayout(
                width: pixels.width, height: 37, in: TerminalSize(columns: 80, rows: 24), .kitty, hasStatus: true)
            screen.feed(renderer.render(pixels, place))
            let texts = screen.graphics
            screen.graphics = []
            var data = ""
            for (number, text) in texts.dropLast(turn == 0 ? 0 : 1).enumerated() {
                let parts = text.split(separator: ";", omittingEmptySubsequences: false)
                #expect(parts.count == 2 && parts[1].count <= 4096 && parts[0].contains("q=2"))
                let isLast = number == texts.count - (turn == 0 ? 1 : 2)
                #expect(parts[0].contains(isLast ? "m=0" : "m=1"))
                data += parts[1]
                if number == 0 {
                    #expect(parts[0].contains("s=\(pixels.width),v=37,"))
                    let id = parts[0].split(separator: ",").first { $0.hasPrefix("i=") } ?? ""
                    #expect(shown.insert(String(id)).inserted, "a picture is never replaced in place")
                }
            }
            #expect(Data(base64Encoded: data) == Data(pixels.bytes))
            if turn > 0 {
                let last = texts.last ?? ""
                #expect(last.hasPrefix("Ga=d,d=I,"))
                let id = last.split(separator: ",").first { $0.hasPrefix("i=") } ?? ""
                #expect(shown.remove(String(id)) != nil)
            }
            #expect(shown.count == 1)
        }
        #expect(!renderer.clear().isEmpty && renderer.clear().isEmpty && screen.problems.isEmpty)
    }

    @Test func `base64 is standard`() {
        for count in 0..<20 {
            let bytes = (0..<count).map { UInt8($0 * 37 & 255) }
            var out: [UInt8] = []
            KittyRenderer.appendBase64(bytes[...], to: &out)
            #expect(String(decoding: out, as: UTF8.self) == Data(bytes).base64EncodedString())
        }
    }

    @Test func `sixels draw every pixel in a near color`() throws {
        for (width, height) in [(1, 6), (7, 12), (40, 18), (5, 7)] {
            var pixels = TerminalRendererTests.noise(width, height, 9)
            // A flat part, for runs.
            for x in 0..<min(width, 20) * 3 { pixels.bytes[x] = 255 }
            var renderer = SixelRenderer()
            renderer.isDithered = false
            var screen = ScreenModel(columns: 80, rows: 24)
            let size = TerminalSize(columns: 80, rows: 24)
            let place = TerminalLayout(width: width, height: height, in: size, .sixel, hasStatus: true)
            screen.feed(renderer.render(pixels, place))
            let drawn = try #require(screen.sixels.first.flatMap { ScreenModel.pixels(ofSixels: $0) })
            #expect(drawn.width == width && drawn.height == height && screen.problems.isEmpty)
            for y in 0..<height {
                for x in 0..<width {
                    let wanted = TerminalPalette.color(TerminalPalette.nearest(pixels[x, y]).asInt)
                    let seen = try #require(drawn.pixels[y * width + x])
                    for shift: UInt32 in [0, 8, 16] {
                        #expect(abs(Int(seen >> shift & 255) - Int(wanted >> shift & 255)) <= 2)
                    }
                }
            }
        }
    }

    @Test func `layouts keep the shape, and stay inside`() {
        var random = SplitMix(11)
        for _ in 0..<3000 {
            let size = TerminalSize(
                columns: .random(in: 1...300, using: &random), rows: .random(in: 1...100, using: &random),
                cell: .init(width: .random(in: 0...30, using: &random), height: .random(in: 0...60, using: &random)))
            let (width, height) = (Int.random(in: 1...8000, using: &random), Int.random(in: 1...8000, using: &random))
            for graphics in TerminalGraphics.allCases {
                let place = TerminalLayout(width: width, height: height, in: size, graphics, hasStatus: true)
                #expect(place.columns >= 1 && place.column + place.columns <= size.columns)
                #expect(place.rows >= 1 && place.row + place.rows <= max(1, size.rows - 1))
                #expect(place.width >= 1 && place.height >= 1)
                if graphics == .sixel { #expect(place.height % 6 == 0) }
            }
            let kitty = TerminalLayout(width: width, height: height, in: size, .kitty, hasStatus: true)
            if kitty.width > 40, kitty.height > 40 {
                let ratio = Double(kitty.width) * Double(height) / (Double(kitty.height) * Double(width))
                #expect((0.95...1.05).contains(ratio))
            }
        }
    }

    @Test func `the status fits, and control characters have no effect`() {
        var status = TerminalStatus()
        (status.time, status.duration, status.frame) = (Rational(61), Rational(3725), 1500)
        (status.rate, status.isPaused, status.note) = (Rational(-3, 2), true, "a\u{1B}[31mb\n")
        #expect(status.text(columns: 80) == "||  1:01.000 / 1:02:05.000  #1500  x-1.5  a?[31mb?")
        for columns in 0..<50 { #expect(status.text(columns: columns).count <= columns) }
    }
}

extension UInt8 {
    fileprivate var asInt: Int { Int(self) }
}
