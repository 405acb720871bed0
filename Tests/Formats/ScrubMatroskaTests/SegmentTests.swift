@testable import ScrubMatroska
import ScrubBase
import Testing

@Suite struct SegmentTests {
    private func segment(_ builder: MatroskaBuilder) throws -> MatroskaSegment {
        try MatroskaSegment(reading: MemorySource(builder.bytes))
    }

    private var builder: MatroskaBuilder {
        var builder = MatroskaBuilder()
        builder.clusters = [MatroskaBuilder.cluster(time: 0)]
        return builder
    }

    @Test func headIsRead() throws {
        var builder = builder
        builder.info = element(ID.info, element(ID.crc, payload(4)), element(ID.timestampScale, number(100_000)))
        builder.tracks = element(
            ID.tracks,
            MatroskaBuilder.entry(
                number: 300,
                element([0x23, 0xE3, 0x83], number(40_000_000)) + element([0x63, 0xA2], payload(7))
                    + element([0x88], [0])),
            MatroskaBuilder.entry(number: 2, type: 2, codec: "A_OPUS", element([0x6D, 0x80], [])),
            MatroskaBuilder.entry(number: 3, type: 99))
        let segment = try segment(builder)
        #expect(segment.timestampScale == 100_000)
        #expect(segment.tracks.map(\.number) == [300, 2, 3])
        #expect(segment.tracks.map(\.kind) == [.video, .audio, nil])
        #expect(segment.tracks.map(\.codecID) == ["V_VP9", "A_OPUS", "V_VP9"])
        #expect(segment.tracks.map(\.defaultDuration) == [40_000_000, nil, nil])
        #expect(segment.tracks.map(\.codecPrivate.count) == [7, 0, 0])
        #expect(segment.tracks.map(\.hasContentEncodings) == [false, true, false])
        #expect(segment.tracks.map(\.isDefault) == [false, true, true])
        let slim = try MatroskaSegment(reading: MemorySource(segment.slimHeader()))
        #expect(slim.tracks == segment.tracks)
        #expect(slim.end == nil)
    }

    /// The deprecated FrameRate counts without a DefaultDuration.
    @Test func frameRateReplacesTheDefaultDuration() throws {
        let rate = element([0xE0], element([0x23, 0x83, 0xE3], [0x41, 0xC8, 0, 0]))  // 25.0
        var builder = builder
        builder.tracks = element(ID.tracks, MatroskaBuilder.entry(rate))
        #expect(try segment(builder).tracks.first?.defaultDuration == 40_000_000)
        builder.tracks = element(ID.tracks, MatroskaBuilder.entry(element([0x23, 0xE3, 0x83], [9]) + rate))
        #expect(try segment(builder).tracks.first?.defaultDuration == 9)
        let tiny = element([0xE0], element([0x23, 0x83, 0xE3], [0, 0, 0, 1]))
        builder.tracks = element(ID.tracks, MatroskaBuilder.entry(tiny))
        #expect(try segment(builder).tracks.first?.defaultDuration == nil)
    }

    @Test func otherFilesAreRefused() {
        var odd: [MatroskaBuilder] = []
        func add(_ change: (inout MatroskaBuilder) -> Void) {
            var copy = builder
            change(&copy)
            odd.append(copy)
        }
        add { $0.ebml = element(ID.ebml, element(ID.docType, Array("dvr".utf8))) }
        add { $0.ebml = element(ID.ebml, element(ID.maxIDLength, [5])) }
        add { $0.ebml = element(ID.ebml, element(ID.maxSizeLength, [9])) }
        add { $0.ebml = element(ID.ebml, element([0x42, 0xF7], [2])) }
        // Sizes of eight bytes where the document says it has none above four.
        add { $0.ebml = element(ID.ebml, element(ID.maxSizeLength, [4])) }
        add { $0.ebml = [] }
        add { $0.info = [] }
        add { $0.info += $0.info }
        add { $0.tracks += $0.tracks }
        add { $0.info = element(ID.info, element(ID.timestampScale, [0])) }
        add { $0.info = element(ID.info, element(ID.timestampScale, payload(9))) }
        add { $0.tracks = ID.tracks + [0xFF] }
        add { $0.tracks = ID.tracks + size(1 << 40, length: 8) }
        add { $0.tracks = element(ID.tracks, [0xAE, 0x90, 0xD7]) }
        add { $0.beforeClusters = element([0x1A, 0x2B, 0x3C, 0x4D], []) }
        add { $0.clusters = [] }
        add {
            $0.tail = $0.tracks
            $0.tracks = []
        }
        for builder in odd {
            #expect(throws: ScrubError.self) { try segment(builder) }
        }
        #expect(MatroskaSegment.isEBML(MemorySource(builder.bytes)))
        #expect(!MatroskaSegment.isEBML(MemorySource([0x1A, 0x45, 0xDF])))
    }

    private func integer(_ bytes: [UInt8], limit: Int = 8) -> VariableInteger? {
        VariableInteger(bytes.span, at: 0, limit: limit)
    }

    private func isHeader(_ bytes: [UInt8]) -> Bool { ElementHeader(bytes.span, limits: ElementLimits()) != nil }

    /// Numbers of every length, and the reserved ones (RFC 8794, 4 to 6).
    @Test func variableIntegersAreReadByTheirFirstByte() {
        for length in 1...8 {
            let bytes = size(5, length: length)
            #expect(integer(bytes)?.value == 5)
            #expect(integer(bytes)?.length == length)
            #expect(integer(bytes, limit: length - 1) == nil)
            #expect(integer(Array(bytes.dropLast())) == nil)
            #expect(integer(size((1 << (7 * length)) - 1, length: length))?.isAllOnes == true)
        }
        #expect(integer([0, 1, 2, 3, 4, 5, 6, 7, 8]) == nil)
        #expect(isHeader([0xEC, 0x81]))
        for id in [[0x80], [0xFF], [0x40, 0x00], [0x7F, 0xFF], [0x08, 0, 0, 0, 1]] as [[UInt8]] {
            #expect(!isHeader(id + [0x81]))
        }
    }
}
