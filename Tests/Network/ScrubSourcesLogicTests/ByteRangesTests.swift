import ScrubSourcesLogic
import ScrubTestSupport
import Testing

@Suite("Sets of bytes")
struct ByteRangesTests {
    @Test func joinsWhatTouches() {
        var set = ByteRanges()
        set.insert(10..<20)
        set.insert(30..<40)
        set.insert(20..<30)
        #expect(set.ranges == [10..<40])
        set.insert(0..<100)
        #expect(set.ranges == [0..<100])
        set.insert(5..<5)
        #expect(set.ranges == [0..<100])
    }

    @Test func aRangeInsideAnotherDoesNotShortenIt() {
        #expect(ByteRanges([0..<100, 10..<20, 100..<110, 200..<201]).ranges == [0..<110, 200..<201])
    }

    @Test func edgesOfTheIntegers() {
        var set: ByteRanges = [.min..<(.min + 1), (.max - 1)..<(.max)]
        #expect(set.byteCount == 2)
        #expect(set.span == .min..<(.max))
        set.insert(.min..<(.max))
        #expect(set.ranges == [.min..<(.max)])
        #expect(set.byteCount == .max)
        #expect(set.run(from: .min) == .max)
        set.remove(-1..<1)
        #expect(set.ranges == [.min..<(-1), 1..<(.max)])
        #expect(set.holes(in: .min..<(.max)).ranges == [-1..<1])
    }

    /// Everything against one bit for each byte.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func isWhatABitForEachByteSays(seed: UInt64) {
        var random = SplitMix(seed &* 7919 &+ 3)
        let size = 64
        var model = [Bool](repeating: false, count: size)
        var set = ByteRanges()
        func bits(_ set: ByteRanges) -> [Bool] { (0..<size).map { set.contains(Int64($0)) } }
        func some() -> Range<Int64> {
            let (a, b) = (Int64.random(in: 0...64, using: &random), Int64.random(in: 0...64, using: &random))
            return min(a, b)..<max(a, b)
        }
        for step in 0..<400 {
            let range = some()
            let places = Int(range.lowerBound)..<Int(range.upperBound)
            if random.isOne(in: 2) {
                set.insert(range)
                for place in places { model[place] = true }
            } else {
                set.remove(range)
                for place in places { model[place] = false }
            }
            let comment: Comment = "seed \(seed), step \(step)"
            #expect(bits(set) == model, comment)
            #expect(ByteRanges(set.ranges) == set, comment)
            #expect(set.byteCount == Int64(model.count { $0 }), comment)
            for (one, next) in zip(set.ranges, set.ranges.dropFirst()) {
                #expect(one.upperBound < next.lowerBound, comment)
            }
            let window = some()
            let inside = Int(window.lowerBound)..<Int(window.upperBound)
            #expect(bits(set.holes(in: window)) == (0..<size).map { inside.contains($0) && !model[$0] }, comment)
            #expect(bits(set.intersection(window)) == (0..<size).map { inside.contains($0) && model[$0] }, comment)
            #expect(set.contains(window) == inside.allSatisfy { model[$0] }, comment)
            #expect(set.overlaps(window) == inside.contains { model[$0] }, comment)
            let place = Int64.random(in: 0..<64, using: &random)
            #expect(set.run(from: place) == Int64(model[Int(place)...].prefix { $0 }.count), comment)
            let other = ByteRanges((0..<Int.random(in: 0..<12, using: &random)).map { _ in some() })
            var union = set
            union.formUnion(other)
            #expect(bits(union) == zip(model, bits(other)).map { $0 || $1 }, comment)
            #expect(bits(set.intersection(other)) == zip(model, bits(other)).map { $0 && $1 }, comment)
            #expect(bits(set.subtracting(other)) == zip(model, bits(other)).map { $0 && !$1 }, comment)
            let starts = set.ranges.first { $0.lowerBound >= place }
            #expect(set.firstRange(startingFrom: place) == starts, comment)
        }
    }
}
