internal import ScrubMediaLogic
internal import ScrubTestSupport
internal import Testing

/// Which previews are wanted around a playhead, in which order.
@Suite struct PreviewPlanTests {
    private func plan(groups: Int, of length: Int, capacity: Int, at frame: Int = 0) -> PreviewPlan {
        var plan = PreviewPlan(
            groupStarts: stride(from: 0, to: groups * length, by: length), frameCount: groups * length)
        _ = plan.note(frame)
        plan.fit(capacity)
        return plan
    }

    private func wanted(_ plan: PreviewPlan) -> [Int] { (0..<plan.frameCount).filter { plan.isWanted($0) } }

    /// Follows the passes to their end.
    private func passes(_ plan: PreviewPlan) -> [PreviewPlan.Pass] {
        var there: Set<Int> = []
        var passes: [PreviewPlan.Pass] = []
        while let pass = plan.nextPass({ there.contains($0) }) {
            there.formUnion(pass.frames)
            passes.append(pass)
            guard passes.count < 10_000 else { break }
        }
        return passes
    }

    @Test func aFilmThatFitsIsWantedWhole() {
        let plan = plan(groups: 8, of: 250, capacity: 2000, at: 700)
        #expect(wanted(plan) == Array(0..<2000))
        let order = passes(plan).map(\.group.lowerBound)
        // The playhead's group, then outward; of two at one distance the later.
        #expect(order == [500, 750, 250, 1000, 0, 1250, 1500, 1750])
        #expect(passes(plan).allSatisfy { $0.frames.count == 250 })
    }

    @Test func aheadOfAMovementComesFirst() {
        var plan = plan(groups: 8, of: 250, capacity: 2000, at: 1000)
        for frame in stride(from: 1000, through: 1100, by: 10) { _ = plan.note(frame) }
        #expect(plan.direction == 1)
        #expect(passes(plan).map(\.group.lowerBound) == [1000, 1250, 750, 1500, 1750, 500, 250, 0])
        for frame in stride(from: 1100, through: 1060, by: -10) { _ = plan.note(frame) }
        #expect(plan.direction == -1)
        #expect(passes(plan).map(\.group.lowerBound).prefix(3) == [1000, 750, 500])
    }

    /// A jitter of a few frames turns nothing, and a jump has no direction.
    @Test func jitterIsNoTurn() {
        var plan = plan(groups: 40, of: 50, capacity: 500, at: 1000)
        for frame in [1010, 1020, 1040] { _ = plan.note(frame) }
        #expect(plan.direction == 1)
        for frame in [1030, 1012, 1039, 1020] {
            let followed = plan.note(frame)
            #expect(!followed)
        }
        #expect(plan.direction == 1)
        let jumped = plan.note(300)
        #expect(jumped && plan.direction == 0)
    }

    /// A finger that goes to and fro over the border of two groups changes nothing of what is wanted.
    @Test func theBorderOfTwoGroupsIsNoPlaceToChange() {
        var plan = plan(groups: 100, of: 250, capacity: 2000, at: 10_000)
        let before = wanted(plan)
        for frame in [9_990, 10_010, 9_980, 10_020, 9_970] {
            let followed = plan.note(frame)
            #expect(!followed && wanted(plan) == before)
        }
    }

    @Test(arguments: 0..<200) func theWantedHaveRoomAndAreNearest(_ seed: UInt64) {
        var random = SplitMix(seed)
        let count = Int.random(in: 1...6000, using: &random)
        var starts = [0]
        while let last = starts.last, last < count { starts.append(last + Int.random(in: 1...400, using: &random)) }
        var plan = PreviewPlan(groupStarts: starts, frameCount: count)
        _ = plan.note(Int.random(in: 0..<count, using: &random))
        let capacity = Int.random(in: 0...4000, using: &random)
        plan.fit(capacity)
        let wanted = wanted(plan)
        #expect(wanted.count <= max(capacity, 0) || count <= capacity)
        if capacity >= count { #expect(wanted.count == count) }
        // What is not wanted matters no more than what is.
        let remoteness = (0..<count).map {
            plan.remoteness(ofUnit: plan.unit(with: $0), isCoarse: $0.isMultiple(of: 4))
        }
        let most = wanted.map { remoteness[$0] }.max() ?? -1
        #expect((0..<count).allSatisfy { plan.isWanted($0) || remoteness[$0] >= most })
        // The passes make exactly that, each frame once, nearest first.
        let passes = passes(plan)
        let made = passes.flatMap(\.frames)
        #expect(made.count == Set(made).count && made.sorted() == wanted)
        for pass in passes { #expect(pass.frames.allSatisfy { pass.group.contains($0) }) }
        if let first = passes.first, capacity >= 64 { #expect(first.group.contains(plan.playhead)) }
    }

    /// Where the film does not fit, near frames are all there and far ones every fourth, in about three to one.
    @Test func farFramesAreEveryFourth() {
        let plan = plan(groups: 400, of: 100, capacity: 4000, at: 20_000)
        let wanted = wanted(plan)
        #expect((3600...4000).contains(wanted.count))
        let fine = wanted.filter { plan.density(at: $0) == .everyFrame }
        #expect((2800...3200).contains(fine.count), "\(fine.count)")
        let coarse = wanted.filter { plan.density(at: $0) == .everyFourthFrame }
        #expect(coarse.allSatisfy { $0.isMultiple(of: 4) })
        let (reach, far) = (fine.map { abs($0 - 20_000) }.max() ?? 0, coarse.map { abs($0 - 20_000) }.max() ?? 0)
        #expect(far > 2 * reach)
    }

    /// A group of an hour is made in one pass of the frames that are near.
    @Test func aLongGroupIsOnePass() {
        let plan = plan(groups: 1, of: 100_000, capacity: 3000, at: 50_000)
        let passes = passes(plan)
        let frames = passes.first?.frames ?? []
        #expect(passes.count == 1 && passes.first?.group == 0..<100_000)
        #expect(frames.contains(50_000) && (2000...3000).contains(frames.count))
    }

    @Test func nothingIsWantedOfNothing() {
        let none = plan(groups: 4, of: 100, capacity: 0, at: 50)
        #expect(wanted(none).isEmpty && none.nextPass { _ in false } == nil)
        var empty = PreviewPlan(groupStarts: [], frameCount: 0)
        empty.fit(100)
        let followed = empty.note(0)
        #expect(!followed && !empty.isWanted(0) && empty.nextPass { _ in false } == nil)
        #expect(empty.density(at: -1) == nil && empty.density(at: .max) == nil)
    }
}
