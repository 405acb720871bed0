import ScrubTestSupport
import Testing

@testable import ScrubBitstream

/// Whether a JPEG picture has all tables that it needs.
@Suite struct JPEGTablesTests {
    private static let begin: [UInt8] = [0xFF, 0xD8]
    private static func segment(_ marker: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((bytes.count + 2) >> 8), UInt8((bytes.count + 2) & 255)] + bytes
    }
    private static func quantization(_ number: UInt8) -> [UInt8] {
        segment(0xDB, [number] + [UInt8](repeating: 1, count: 64))
    }
    private static func huffman(_ tables: UInt8) -> [UInt8] {
        segment(0xC4, [tables, 1] + [UInt8](repeating: 0, count: 15) + [5])
    }
    /// A frame of two components, of which the second has quantization table 1.
    private static func frame(_ marker: UInt8) -> [UInt8] {
        segment(marker, [8, 0, 16, 0, 16, 2, 1, 0x11, 0, 2, 0x11, 1])
    }
    private static func scan(_ tables: [UInt8] = [0x00, 0x11], spectrum: [UInt8] = [0, 63, 0]) -> [UInt8] {
        segment(0xDA, [2, 1, tables[0], 2, tables[1]] + spectrum) + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56]
    }
    private static let end: [UInt8] = [0xFF, 0xD9]
    private static let allHuffman = [0x00, 0x10, 0x01, 0x11].flatMap { huffman($0) }

    private func tables(_ parts: [[UInt8]]) -> JPEGTables {
        let bytes = JPEGTablesTests.begin + parts.flatMap { $0 } + JPEGTablesTests.end
        return JPEGTables(bytes.span)
    }

    @Test func wholeOnes() {
        typealias T = JPEGTablesTests
        let both = [T.quantization(0), T.quantization(1)]
        #expect(tables(both + [T.allHuffman, T.frame(0xC0), T.scan()]).isWhole)
        #expect(tables(both + [T.allHuffman, T.frame(0xC0), T.scan()]).defined == .huffman)
        // The usual Huffman tables are everybody's.
        #expect(tables(both + [T.frame(0xC0), T.scan()]).isWhole)
        #expect(tables(both + [T.frame(0xC0), T.scan()]).defined == [])
        // Lossless pictures are not quantized, JPEG-LS has no tables of Huffman's either.
        #expect(
            tables([T.huffman(0x00), T.huffman(0x01), T.frame(0xC3), T.scan([0x00, 0x10], spectrum: [1, 0, 0])]).isWhole
        )
        #expect(tables([T.frame(0xF7), T.scan(spectrum: [0, 0, 0])]).isWhole)
        #expect(tables([T.segment(0xF8, [1]), T.frame(0xF7), T.scan(spectrum: [0, 0, 0])]).defined == .thresholds)
        // A second field has what the first one brought; fill bytes come before markers.
        let first = both + [T.allHuffman, T.frame(0xC0), T.scan(), T.end, [0xFF, 0xFF], T.begin]
        #expect(tables(first + [T.frame(0xC0), T.scan()]).isWhole)
        // The first scan of a progressive picture has no AC, a refinement no DC tables.
        #expect(
            tables(
                both + [T.huffman(0x00), T.huffman(0x01), T.frame(0xC2), T.scan([0x00, 0x10], spectrum: [0, 0, 0])]
            ).isWhole)
        #expect(
            tables(
                both + [
                    T.huffman(0x10), T.huffman(0x11), T.frame(0xC2), T.scan(spectrum: [0, 0, 0x10]),
                    T.scan(spectrum: [1, 63, 0]),
                ]
            ).isWhole)
    }

    @Test func thoseThatLackSomething() {
        typealias T = JPEGTablesTests
        #expect(!tables([T.quantization(0), T.allHuffman, T.frame(0xC0), T.scan()]).isWhole)
        #expect(!tables([T.allHuffman, T.frame(0xC0), T.scan()]).isWhole)
        let both = [T.quantization(0), T.quantization(1)]
        #expect(!tables(both + [T.huffman(0x00), T.huffman(0x10), T.frame(0xC0), T.scan()]).isWhole)
        // Tables behind the scan that needs them come too late.
        #expect(!tables([T.frame(0xC0), T.scan()] + both).isWhole)
        #expect(!tables(both + [T.allHuffman, T.frame(0xC0)]).isWhole)
        #expect(!tables(both + [T.allHuffman, T.scan()]).isWhole)
        #expect(!tables([]).isWhole)
    }

    /// A picture of one scan is judged by its first bytes.
    @Test func theFirstBytesSayIt() {
        typealias T = JPEGTablesTests
        let whole = T.begin + T.quantization(0) + T.quantization(1) + T.allHuffman + T.frame(0xC0) + T.scan()
        let lacking = T.begin + T.quantization(0) + T.allHuffman + T.frame(0xC0) + T.scan()
        // Coded data may end anywhere, also before what looks like a marker.
        for end in [[0x12], [0x12, 0xFF], [0xFF, 0xDB], [0xFF, 0xC4, 0x01]] as [[UInt8]] {
            #expect(JPEGTables((whole + end).span).onlyScanIsWhole == true)
            #expect(JPEGTables((lacking + end).span).onlyScanIsWhole == false)
        }
        #expect(JPEGTables(Array(whole.dropLast(18)).span).onlyScanIsWhole == nil)
        let several = T.begin + T.quantization(0) + T.frame(0xC0) + T.segment(0xDA, [1, 1, 0, 0, 63, 0])
        #expect(JPEGTables(several.span).onlyScanIsWhole == nil)
        let progressive = T.begin + T.quantization(0) + T.quantization(1) + T.frame(0xC2) + T.scan(spectrum: [0, 0, 0])
        #expect(JPEGTables(progressive.span).onlyScanIsWhole == nil)
    }

    /// Whatever the bytes are, nothing is read beyond them.
    @Test func anyBytes() {
        typealias T = JPEGTablesTests
        let whole = T.begin + T.quantization(0) + T.quantization(1) + T.allHuffman + T.frame(0xC0) + T.scan() + T.end
        for count in 0..<whole.count { _ = JPEGTables(Array(whole[..<count]).span) }
        var random = SplitMix(SplitMix.seed())
        for _ in 0..<3000 {
            var bytes = whole
            for _ in 0..<4 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = JPEGTables(bytes.span)
        }
    }
}
