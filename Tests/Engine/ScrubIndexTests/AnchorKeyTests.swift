import ScrubFileIO
import ScrubIndex
import ScrubTestSupport
import Testing

/// Display order of the MPEG-1, -2, -4 family out of picture types alone.
@Suite struct AnchorKeyTests {
    /// The display order of coded pictures; `s` stands for a second field, which is not a frame of its own.
    private func order(_ types: String) -> [Int] {
        let types = Array(types)
        let isShown = { (picture: Int) in types[picture] != "s" }
        let keys = DisplayOrder.anchorKeys(
            count: types.count, isBidirectional: { types[$0] == "B" }, isShown: isShown)
        return DisplayOrder.sort(keys: keys, sectionStarts: [], isShown: isShown).map(Int.init)
    }

    /// ISO/IEC 13818-2 6.1.1.11 as a decoder does it: one anchor is held back until the next one comes.
    private func model(_ types: String) -> [Int] {
        var (shown, held): ([Int], Int?) = ([], nil)
        for (picture, type) in types.enumerated() where type != "s" {
            if type == "B" {
                shown.append(picture)
            } else {
                if let held { shown.append(held) }
                held = picture
            }
        }
        if let held { shown.append(held) }
        return shown
    }

    @Test(
        arguments: [
            ("", []), ("I", [0]), ("IPP", [0, 1, 2]), ("IPBB", [0, 2, 3, 1]), ("IPBBPBB", [0, 2, 3, 1, 5, 6, 4]),
            // The standard's own example: coded I P B B P B B I B B P B B.
            ("IPBBPBBIBBPBB", [0, 2, 3, 1, 5, 6, 4, 8, 9, 7, 11, 12, 10]),
            // An open group at the start: its leading pictures show before it.
            ("IBBPBB", [1, 2, 0, 4, 5, 3]),
            ("IPBI", [0, 2, 1, 3]), ("IPBIP", [0, 2, 1, 3, 4]),
            ("IsPsBsBsPs", [0, 4, 6, 2, 8]),
        ] as [(String, [Int])])
    func textbookPatterns(types: String, expected: [Int]) {
        #expect(order(types) == expected)
        #expect(model(types) == expected)
    }

    @Test(arguments: 0..<20)
    func randomPatternsFollowTheDecoder(seed: Int) {
        var random = SplitMix(UInt64(seed))
        for _ in 0..<50 {
            let types = String((0..<60).map { _ in "IPPBBBs".randomElement(using: &random) ?? "P" })
            #expect(order(types) == model(types))
        }
    }

    /// A stream that was cut inside a group begins with B pictures that nothing comes before. They show at once, so in
    /// decode order.
    @Test(arguments: [("BBIPBB", [0, 1, 2, 4, 5, 3]), ("BBB", [0, 1, 2]), ("BIP", [0, 1, 2])] as [(String, [Int])])
    func leadingPicturesWithoutAGroupKeepTheirOrder(types: String, expected: [Int]) {
        #expect(model(types) == expected)
        #expect(order(types) == expected)
    }
}
