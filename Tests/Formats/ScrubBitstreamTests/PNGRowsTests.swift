@testable import ScrubBitstream
import Testing

@Suite struct PNGRowsTests {
    /// Returns a chunk; its checksum is not read.
    private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, UInt8(content.count >> 8), UInt8(content.count & 0xff)] + Array(name.utf8) + content + [0, 0, 0, 0]
    }

    private func header(_ width: UInt8, _ height: UInt8, depth: UInt8, type: UInt8, interlaced: Bool = false) -> [UInt8]
    {
        chunk("IHDR", [0, 0, 0, width, 0, 0, 0, height, depth, type, 0, 0, interlaced ? 1 : 0])
    }

    private func rows(_ packet: [UInt8], extradata: [UInt8] = []) -> PNGRows? {
        PNGRows(packet: packet.span, extradata: extradata.span)
    }

    @Test func aPictureHasOnePass() throws {
        let packet =
            [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10] + header(100, 7, depth: 8, type: 2) + chunk("IDAT", [1, 2])
        let found = try #require(rows(packet + chunk("IDAT", [3])))
        #expect(found.passes == [PNGRows.Pass(rowByteCount: 300, rowCount: 7)])
        #expect(found.data.map { Array(packet.count > $0.upperBound ? packet[$0] : [3]) } == [[1, 2], [3]])
        #expect(!found.isExposed)
    }

    @Test(arguments: [
        (UInt8(100), UInt8(8), UInt8(3), false), (100, 1, 0, false), (100, 8, 6, true), (5, 8, 6, false),
        (23, 8, 0, false),
    ]) func marksMayMissRows(_ width: UInt8, _ depth: UInt8, _ type: UInt8, _ isInterlaced: Bool) throws {
        let packet = header(width, 4, depth: depth, type: type, interlaced: isInterlaced) + chunk("IDAT", [0])
        #expect(try #require(rows(packet)).isExposed)
    }

    @Test func aRectangleHasItsOwnSize() throws {
        let control = chunk("fcTL", [0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 14))
        let packet = control + chunk("fdAT", [0, 0, 0, 2, 7, 8])
        let found = try #require(rows(packet, extradata: header(96, 64, depth: 8, type: 6)))
        #expect(found.passes == [PNGRows.Pass(rowByteCount: 8, rowCount: 3)])
        #expect(found.data.map { Array(packet[$0]) } == [[7, 8]])
        #expect(found.isExposed)
    }

    @Test func interlacedPicturesHaveSevenPasses() throws {
        let full = try #require(rows(header(8, 8, depth: 8, type: 0, interlaced: true) + chunk("IDAT", [0])))
        #expect(full.passes.map(\.rowCount) == [1, 1, 1, 2, 2, 4, 4])
        #expect(full.passes.map(\.rowByteCount) == [1, 1, 2, 2, 4, 4, 8])
        #expect(full.passes.reduce(0) { $0 + $1.rowCount * $1.rowByteCount } == 64)
        let tiny = try #require(rows(header(1, 1, depth: 8, type: 0, interlaced: true) + chunk("IDAT", [0])))
        #expect(tiny.passes == [PNGRows.Pass(rowByteCount: 1, rowCount: 1)])
    }

    @Test func filtersAreFoundInPieces() throws {
        let found = try #require(rows(header(2, 3, depth: 8, type: 2) + chunk("IDAT", [0])))
        for (data, isInvalid) in [
            ([0, 9, 9, 9, 9, 9, 9, 4, 9, 9, 9, 9, 9, 9, 2, 9, 9, 9, 9, 9, 9, 77], false),
            ([0, 9, 9, 9, 9, 9, 9, 5, 9, 9, 9, 9, 9, 9, 2], true),
        ] as [([UInt8], Bool)] {
            for size in 1...data.count {
                var reader = PNGRows.FilterReader(found)
                for start in stride(from: 0, to: data.count, by: size) {
                    reader.read(Array(data[start..<min(start + size, data.count)]).span)
                }
                #expect(reader.hasInvalidFilter == isInvalid)
            }
        }
    }

    @Test func whatIsNoPictureHasNoRows() {
        for packet in [
            [], [1, 2, 3], header(9, 9, depth: 8, type: 2), header(9, 9, depth: 3, type: 2) + chunk("IDAT", [0]),
        ] {
            #expect(rows(packet) == nil)
        }
        #expect(rows(header(0, 9, depth: 8, type: 2) + chunk("IDAT", [0])) == nil)
        #expect(rows(Array(header(9, 9, depth: 8, type: 2).dropLast(8))) == nil)
    }
}
