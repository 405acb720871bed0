import Foundation
import ScrubTestSupport
import Testing

@testable import ScrubBitstream

/// Compares references with FFmpeg's traces of the headers of `testdata/`.
@Suite(.serialized)
struct ClipDependencyTests {
    private static let folder = URL(filePath: Repository.clips)

    private static let clips = [
        "av1-svt.mp4", "av1-aom.mp4", "av1-intra-only.mkv", "hevc-open-gop.mp4", "hevc-radl.mp4",
        "hevc-temporal.mp4", "hevc-starts-cra.hevc", "hevc-layers.hevc", "hevc-inband.mp4",
    ]

    @Test(arguments: clips)
    func agreesWithTracedHeaders(name: String) throws {
        let file = ClipDependencyTests.folder.appending(path: name)
        let stream = try #require(try CorpusStream(file, limit: 1000))
        let log = try TraceLog(file)
        let expected = (stream.codec == .av1 ? TracedReferences(av1: log) : TracedReferences(hevc: log)).pictures
        var whole = DependencyParser(codec: stream.codec, extradata: stream.extradata)
        var short = whole
        var units: [CodedUnit] = []
        for packet in stream.packets {
            let found = whole.whole(packet.bytes)
            #expect(found.units.allSatisfy { $0.bytes.upperBound <= packet.bytes.count })
            #expect(facts(read(packet.bytes, with: &short)) == facts(found))
            units += found.units
            // All that is not proven here are the leading pictures of a clip's first restart.
            let isLost = units.count <= expected.count && expected[units.count - 1].references == nil
            #expect(found.isProven != isLost)
        }
        #expect(units.count == expected.count)
        for (unit, truth) in zip(units, expected) {
            #expect(unit.needsAllReferences || unit.references == truth.references)
            #expect(unit.isShown == truth.isShown && unit.orderCount == truth.orderCount)
        }
        let used = Set(units.flatMap(\.references))
        #expect(used.allSatisfy { units[$0].isReference })
        #expect(units.indices.allSatisfy { number in units[number].references.allSatisfy { $0 < number } })
    }

    /// Reads a packet by its head as far as that goes.
    private func read(_ packet: [UInt8], with parser: inout DependencyParser) -> PacketDependencies {
        let head = Array(packet.prefix(24))
        if case .dependencies(let found) = parser.parse(head.span, isWhole: head.count == packet.count) {
            return found
        }
        return parser.whole(packet)
    }

    /// All but the places, which are those of the bytes given.
    private func facts(_ dependencies: PacketDependencies) -> PacketDependencies {
        var copy = dependencies
        for index in copy.units.indices { copy.units[index].bytes = 0..<0 }
        return copy
    }
}
