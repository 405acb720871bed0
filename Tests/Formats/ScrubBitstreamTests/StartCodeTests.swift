@testable import ScrubBitstream
import ScrubTestSupport
import Testing

/// The search for 00 00 01 that reads eight bytes at once finds what reading one after the other finds.
@Suite struct StartCodeTests {
    private func plain(_ bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= 3, start <= bytes.count - 3 else { return nil }
        return (start...bytes.count - 3).first { bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1 }
    }

    /// Bytes of few values, so that zeros in a row, halves of a prefix and prefixes at every place are common; of all
    /// lengths around the pieces that are read at once.
    @Test(arguments: 0..<8) func everyPlace(part: UInt64) {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15 &* (part + 1)
        let next = { (limit: Int) -> Int in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        let values: [UInt8] = [0, 0, 1, 2, 0x80, 0x81, 0xFF]
        var found = 0
        for count in 0..<140 {
            for density in [3, 7] {
                let bytes = (0..<count).map { _ in next(8) < density ? values[next(values.count)] : 0x55 }
                for start in 0...count {
                    let expected = plain(bytes, from: start)
                    #expect(StartCode.find(in: bytes.span, from: start) == expected, "\(bytes) from \(start)")
                    if expected != nil { found += 1 }
                }
            }
        }
        #expect(found > 1000)
    }

    @Test func onePrefixBetweenOtherBytes() {
        for filling: UInt8 in [1, 2, 0x7F, 0x80, 0xFF] {
            for place in 0...97 {
                var bytes = [UInt8](repeating: filling, count: 100)
                bytes.replaceSubrange(place..<place + 3, with: [0, 0, 1])
                #expect(StartCode.find(in: bytes.span, from: 0) == place)
                #expect(StartCode.find(in: bytes.span, from: place) == place)
                #expect(StartCode.find(in: bytes.span, from: place + 1) == nil)
            }
        }
    }

    @Test func zerosAlone() {
        let zeros = [UInt8](repeating: 0, count: 300)
        #expect(StartCode.find(in: zeros.span, from: 0) == nil)
        #expect(StartCode.find(in: (zeros + [1]).span, from: 0) == 298)
        #expect(StartCode.find(in: (zeros + [2, 0, 0, 1]).span, from: 7) == 301)
    }
}
