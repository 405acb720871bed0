import ScrubBitstream
import Testing

/// Parameter sets that come with the samples, against those of the configuration.
@Suite struct ParameterSetWatchTests {
    private static let sequence: [UInt8] = [0x67, 0x42, 0x00, 0x1E, 0xAB]
    private static let picture: [UInt8] = [0x68, 0xCE, 0x38, 0x80]
    private static let slice: [UInt8] = [0x65] + [UInt8](repeating: 0x11, count: 60)

    /// An avcC record (ISO/IEC 14496-15, 5.3.3.1.2) whose picture set has a zero too many behind it.
    private static let configuration: [UInt8] =
        [1, 0x42, 0, 0x1E, 0xFF, 0xE1, 0, UInt8(sequence.count)] + sequence
        + [1, 0, UInt8(picture.count + 1)] + picture + [0]

    private func unit(_ bytes: [UInt8]) -> [UInt8] { [0, 0, 0, UInt8(bytes.count)] + bytes }

    private func examine(_ sample: [UInt8], head: Int? = nil) throws -> ParameterSetChangeDetector.Finding {
        var watch = try #require(ParameterSetChangeDetector(codec: .h264, extradata: Self.configuration))
        let bytes = Array(sample.prefix(head ?? sample.count))
        return watch.examine(sampleHead: bytes.span, isWhole: bytes.count == sample.count)
    }

    @Test func knownSetsAreNotChanges() throws {
        let sets = unit(Self.sequence) + unit(Self.picture)
        let sample = unit([0x09, 0xF0]) + sets + unit([0x06, 5, 1, 0, 0x80]) + unit(Self.slice)
        #expect(try examine(sample) == .nothingNew)
        #expect(try examine(unit(Self.slice)) == .nothingNew)
        #expect(try examine(unit(Self.slice), head: 5) == .nothingNew)
        #expect(try examine(sets) == .nothingNew)
        #expect(try examine([]) == .nothingNew)
    }

    @Test func otherSetsAreChanges() throws {
        var other = Self.sequence
        other[4] ^= 1
        #expect(try examine(unit(other) + unit(Self.slice)) == .changes)
        #expect(try examine(unit(Self.sequence + [1]) + unit(Self.slice)) == .changes)
        #expect(try examine(unit([0x68, 0xCE]) + unit(Self.slice)) == .changes)
        // A start code instead of a length, and a set that is longer than its sample.
        #expect(try examine([0, 0, 0, 1] + Self.slice) == .changes)
        #expect(try examine([0, 0, 1, 0] + Self.sequence) == .changes)
        #expect(try examine([0, 0]) == .changes)
    }

    /// Up to where the first slice's kind shows, a cut head asks for more and claims nothing.
    @Test func cutHeadsAskForMore() throws {
        let sample = unit([0x09, 0xF0]) + unit(Self.sequence) + unit(Self.picture) + unit(Self.slice)
        let enough = sample.count - Self.slice.count + 1
        for count in 0..<enough { #expect(try examine(sample, head: count) == .needsMoreBytes, "\(count)") }
        for count in enough...sample.count { #expect(try examine(sample, head: count) == .nothingNew) }
    }

    /// HEVC and AV1: the configuration's sets, and the first sequence header.
    @Test func otherCodecs() throws {
        #expect(ParameterSetChangeDetector(codec: .vp9, extradata: []) == nil)
        #expect(ParameterSetChangeDetector(codec: .hevc, extradata: []) == nil)
        var av1 = try #require(ParameterSetChangeDetector(codec: .av1, extradata: []))
        let frame: [UInt8] = [0x32, 2, 0x10, 0x00]
        for (bytes, expected) in [
            ([0x12, 0x00, 0x0A, 2, 7, 8] + frame, .nothingNew), (frame, .nothingNew),
            ([0x0A, 2, 7, 8] + frame, .nothingNew), ([0x0A, 2, 7, 9] + frame, .changes),
            ([0x0A, 9, 7], .changes),
        ] as [([UInt8], ParameterSetChangeDetector.Finding)] {
            #expect(av1.examine(sampleHead: bytes.span, isWhole: true) == expected)
        }
        let cut: [UInt8] = [0x0A, 9, 7]
        #expect(av1.examine(sampleHead: cut.span, isWhole: false) == .needsMoreBytes)
    }
}
