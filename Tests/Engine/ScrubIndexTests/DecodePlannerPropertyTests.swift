import ScrubFileIO
import ScrubBitstream
import ScrubDecoding
import ScrubIndex
import ScrubTestSupport
import Testing

@Suite struct DecodePlannerPropertyTests {
    /// The rule by trying every picture, as the planner's comment words it.
    private func restart(_ index: FrameIndex, _ target: Int, claim: RandomAccess, before: Int, closed: Bool) -> Int? {
        let pictures = index.pictures
        return (0...target).last { picture in
            let flags = pictures.flags[picture]
            guard picture < before, !flags.contains(.missing), index.ranks[picture] >= 0,
                index.ranks[picture] <= index.ranks[target]
            else { return false }
            guard flags.contains(.verified) || flags.contains(.key) else { return false }
            let (kind, count) = DecodePlannerTests.access(index, picture, claim: claim)
            switch kind {
            case .none, .inexact: return false
            case .instantaneous: return true
            case .open: return !closed
            case .gradual:
                guard !closed else { return false }
                guard count > 0 else { return true }
                let references = (picture + 1..<max(picture + 1, target + 1)).filter {
                    pictures.flags[$0].isDisjoint(with: [.disposable, .secondField])
                }
                return references.count >= count && index.ranks[references[count - 1]] <= index.ranks[target]
            }
        }
    }

    @Test(arguments: 0..<40)
    func findsWhatTryingAllFinds(seed: Int) {
        var random = SplitMix(UInt64(seed))
        let index = SyntheticIndex.random(&random, count: 90).index
        let planner = DecodePlanner(index)
        let claim = [RandomAccess.none, .instantaneous, .open, .gradual, .inexact][seed % 5]
        let closed = seed % 3 == 0
        var rejected = RejectedRestarts()
        for frame in 0..<index.frameCount {
            let target = Int(index.frames[frame])
            let before = seed % 4 == 0 ? Int.random(in: 0...target + 1, using: &random) : .max
            let plan = planner.plan(forPicture: target, before: before, selfContainedOnly: closed, rejected: &rejected)
            {
                DecodePlannerTests.access(index, $0, claim: claim)
            }
            let expected = restart(index, target, claim: claim, before: before, closed: closed)
            #expect(plan.restart == expected ?? 0)
            #expect((plan.start == .streamStart) == (expected == nil))
            // Never after the target in decode order; never shown after it.
            #expect(plan.restart <= plan.target && plan.target <= plan.last)
            if plan.start != .streamStart {
                #expect(index.ranks[plan.restart] <= index.ranks[target])
                #expect(index.ranks[plan.restart] >= 0)
                #expect(plan.restart < before)
            }
            if closed { #expect(plan.isSelfContained) }
        }
    }

    /// Restarts are asked about from the target backwards, each at most once and only where they could serve.
    @Test(arguments: 0..<10)
    func asksAboutFewPictures(seed: Int) {
        var random = SplitMix(UInt64(seed + 1000))
        let index = SyntheticIndex.random(&random, count: 90).index
        let planner = DecodePlanner(index)
        for picture in index.frames {
            var asked: [Int] = []
            var rejected = RejectedRestarts()
            let plan = planner.plan(forPicture: Int(picture), rejected: &rejected) {
                asked.append($0)
                return DecodePlannerTests.access(index, $0, claim: .none)
            }
            #expect(asked == Array(Set(asked).sorted().reversed()))
            #expect(asked.allSatisfy { $0 <= Int(picture) && index.restarts.contains(UInt32($0)) })
            if plan.start != .streamStart { #expect(asked.last == plan.restart) }
        }
    }

    /// A film that claims a restart in each picture, and has one: each claim is looked at once, whatever is asked for.
    @Test func falseClaimsAreLookedAtOnce() {
        let index = SyntheticIndex((0..<2000).map { "K\($0)" }.joined(separator: " ")).index
        let planner = DecodePlanner(index)
        var rejected = RejectedRestarts()
        var asked = 0
        for target in (0..<index.frameCount).reversed() {
            let plan = planner.plan(forPicture: target, rejected: &rejected) {
                asked += 1
                return ($0 == 0 ? .instantaneous : .none, 0)
            }
            #expect(plan.restart == 0 && plan.start == .restart(.instantaneous))
        }
        #expect(asked <= 2 * index.frameCount, "\(asked)")
    }
}
