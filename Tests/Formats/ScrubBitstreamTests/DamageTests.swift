import ScrubTestSupport
import Testing

@testable import ScrubBitstream

/// Nothing that a file can hold may trap: random bytes, and good packets with random damage.
struct DamageTests {
    private static let codecs: [VideoCodec] = [
        .h264, .hevc, .av1, .vp8, .vp9, .mpeg1, .mpeg2, .mpeg4, .other,
    ]

    @Test(arguments: codecs)
    func randomBytes(codec: VideoCodec) {
        var generator = SplitMix(0x9E37_79B9_7F4A_7C15)
        var parser = PictureParser(codec: codec, extradata: [])
        for round in 0..<4000 {
            var bytes = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in
                // Many zeros and ones, so that start codes and long Exp-Golomb numbers come up.
                let byte = UInt8.random(in: 0...255, using: &generator)
                return Bool.random(using: &generator) ? byte : byte & 1
            }
            if round % 50 == 0 { parser = PictureParser(codec: codec, extradata: bytes) }
            if round % 2 == 0 { bytes = [0, 0, 0, 1] + bytes }
            let picture = parser.parse(bytes.span)
            #expect(picture.shownCount <= picture.pictureCount)
            _ = parser.examine(sampleHead: bytes.span, isWhole: round % 3 == 0)
        }
    }

    @Test(arguments: codecs)
    func randomDependencies(codec: VideoCodec) {
        var generator = SplitMix(0xA076_1D64_78BD_642F)
        let sets: [UInt8] =
            switch codec {
            case .av1: AV1Builder().sequence + AV1Builder().frame(.init(kind: 0))
            case .hevc: HEVCBuilder().sets + HEVCBuilder.slice(HEVCBuilder.idr)
            case .h264: H264Builder().sequenceSet + H264Builder().pictureSet
            default: []
            }
        let good: [UInt8] =
            switch codec {
            case .av1: AV1Builder().frame(.init(refreshes: 5)) + AV1Builder().splitFrame(.init())
            case .hevc: HEVCBuilder.slice(1, order: 3, kind: 1, references: [(-1, true), (-3, false)])
            case .h264: H264Builder().slice(.init(isIDR: true))
            default: [0, 0, 1, 0xB6, 0x40, 7, 9, 8]
            }
        var parser = DependencyParser(codec: codec, extradata: sets)
        var number = 0
        for round in 0..<4000 {
            var bytes = round % 3 == 0 ? sets + good : good
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            }
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count + 40, using: &generator)))
            let verdict = parser.parse(bytes.span, isWhole: round % 4 != 0)
            guard case .dependencies(let found) = verdict else { continue }
            for unit in found.units {
                #expect(unit.bytes.upperBound <= bytes.count)
                #expect(unit.references == Set(unit.references).sorted())
                #expect(unit.references.allSatisfy { $0 >= 0 && $0 < number })
                number += 1
            }
        }
        // The cases are not only refusals.
        #expect(number > 100)
    }

    @Test func damagedSlices() {
        var generator = SplitMix(0xD1B5_4A32_D192_ED03)
        let orders: [H264Builder.Order] = [
            .lowBits(4), .decodingOrder, .cycle(nonReference: -2, topToBottom: 1, offsets: [2, 4]),
        ]
        for order in orders {
            let builder = H264Builder(order: order)
            var parser = builder.parser()
            let whole =
                builder.sequenceSet + builder.pictureSet
                + H264Builder.recoveryPoint(count: 3, isExact: true)
                + builder.slice(.init(isIDR: true)) + builder.slice(.init(kind: 1, frameNumber: 3))
            for _ in 0..<3000 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
                        1 << UInt8.random(in: 0...7, using: &generator)
                }
                let length = Int.random(in: 0...bytes.count, using: &generator)
                _ = parser.parse(Array(bytes[..<length]).span)
                _ = parser.parse(bytes.span)
            }
        }
    }

    /// Key pictures that are to become instantaneous refreshes; whatever comes out is whole units.
    @Test func randomKeyPictures() {
        var generator = SplitMix(0x2545_F491_4F6C_DD1D)
        let builder = H264Builder()
        let units = builder.sequenceSet + builder.pictureSet + builder.slice(.init())
        var good: [UInt8] = []
        var walk = NALUnits(units.span, framing: .annexB)
        while let range = walk.next() {
            good += [0, 0, UInt8(range.count >> 8), UInt8(range.count & 255)] + units[range]
        }
        let record: [UInt8] = [1, 100, 0, 31, 0xFF, 0xE0, 0]
        var made = 0
        for round in 0..<4000 {
            var sample = good + (0..<Int.random(in: 0..<40, using: &generator)).map { _ in UInt8(round & 1) }
            for _ in 0..<round % 5 {
                sample[Int.random(in: 0..<sample.count, using: &generator)] ^=
                    UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
            }
            if round % 7 == 0 { sample.removeLast(Int.random(in: 0..<sample.count, using: &generator)) }
            var refresh = H264InstantRefresh(record: record.span)
            guard let out = refresh.sample(sample.span, number: round) else { continue }
            made += 1
            let isWhole = NALUnits.lengthsAddUp(out.span, lengthSize: 4)
            #expect(isWhole)
        }
        #expect(made > 100)
    }
}
