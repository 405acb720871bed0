import ScrubFileIO
import ScrubBitstream
import ScrubBase
import ScrubIndex
import ScrubTestSupport
import Testing

@Suite struct FrameIndexTests {
    /// Times with irregular distances, some of them shared by several frames.
    static func variableTimes(_ random: inout SplitMix, count: Int) -> [Int64] {
        var time = Int64.random(in: -5000...5000, using: &random)
        return (0..<count).map { _ in
            defer { time += Int.random(in: 0..<3, using: &random) == 0 ? 0 : .random(in: 1...90, using: &random) }
            return time
        }
    }

    @Test(arguments: 0..<30)
    func theFrameAtATimeIsTheLastThatBegan(seed: Int) {
        var random = SplitMix(UInt64(seed))
        let times = FrameIndexTests.variableTimes(&random, count: 1 + seed * 5)
        let index = SyntheticIndex(times: times).index
        let wrong = (-20...(times[times.count - 1] - times[0] + 100)).filter { offset in
            index.frame(atOffset: Int128(offset)) != times.lastIndex { $0 - times[0] <= offset } ?? 0
        }
        #expect(wrong == [])
        #expect(index.frame(atOffset: .min) == 0)
        #expect(index.frame(atOffset: .max) == times.count - 1)
    }

    @Test(arguments: 0..<10)
    func durationsAddUp(seed: Int) {
        var random = SplitMix(UInt64(seed))
        var synthetic = SyntheticIndex(times: FrameIndexTests.variableTimes(&random, count: 60))
        synthetic.lastDuration = Int64.random(in: 0...500, using: &random)
        let index = synthetic.index
        #expect((0..<60).reduce(Int64(0)) { $0 + index.duration(ofFrame: $1) } == index.duration)
        #expect(index.duration(ofFrame: 59) == synthetic.lastDuration)
        #expect((0..<60).allSatisfy { index.duration(ofFrame: $0) >= 0 })
    }

    @Test(arguments: 0..<30)
    func framesAndPicturesNameEachOther(seed: Int) {
        var random = SplitMix(UInt64(seed))
        let index = SyntheticIndex.random(&random, count: 120).index
        let shown = index.displayOrder.filter { index.pictures.flags[Int($0)].isDisjoint(with: .notPresented) }
        #expect(index.frames == shown)
        #expect(index.frameCount == shown.count)
        for picture in 0..<index.pictures.count {
            #expect(index.frame(ofPicture: picture) == shown.firstIndex(of: UInt32(picture)))
            let rank = index.displayOrder.firstIndex(of: UInt32(picture)) ?? -1
            #expect(Int(index.ranks[picture]) == rank)
        }
    }

    @Test func repairedTimesCountInsteadOfTheContainers() {
        var synthetic = SyntheticIndex(times: [50, CodedPictures.noTime, 20])
        synthetic.repairedTimes = [50, 60, 70]
        let index = synthetic.index
        #expect((0..<3).map(index.time(ofFrame:)) == [50, 60, 70])
        #expect((0..<3).map(index.presentationTime(ofFrame:)) == [50, 60, 20])
        #expect(index.duration == 30)
        #expect(index.frame(atOffset: 15) == 1)
        #expect(index.presentation.repairedTimes == [50, 60, 70])
    }

    @Test func anIndexWithoutFramesIsEmpty() {
        let index = SyntheticIndex("H H").index
        #expect(index.frameCount == 0)
        #expect(index.duration == 0)
        #expect(index.reorderDelay == 0)
        #expect(index.frame(ofPicture: 0) == nil)
    }

    /// The distance of the first and the last frame's time does not fit: files may claim such times.
    @Test func timesFarApartDontTrap() async {
        await #expect(processExitsWith: .success) {
            let index = SyntheticIndex(times: [.min + 1, 0, .max]).index
            _ = index.duration
            _ = index.duration(ofFrame: 1)
            _ = try index.resolve(.fraction(Rational(1, 2)))
        }
    }
}
