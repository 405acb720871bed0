import ScrubLibAV
import ScrubPlayersLogic
import ScrubBase
import ScrubDecoding
import ScrubIndex
import ScrubMedia
import Testing
import ScrubTestSupport

@testable import ScrubPlayers

/// Every clip's frames in both directions, against the answers of a reader.
@Suite struct EnginePictureFeedTests {
    private static let clips = [
        "h264-bf3.mp4", "h264-intra-refresh-b.mp4", "damaged-h264.mp4", "damaged-hevc.mkv", "av1-svt.mkv",
        "vp9-altref.webm", "h264-open-gop.mp4",
        "hevc-open-gop.mkv",
        "h264-b.avi", "elst-discard-in-open.mp4", "h264-bf3.ts", "h263.avi", "damaged-mpeg2.mpg",
    ]

    private static let folder = Repository.clips + "/"

    private func asset(_ name: String) throws -> VideoAsset {
        try VideoAsset(path: EnginePictureFeedTests.folder + name, options: VideoAsset.OpenOptions(cache: .none))
    }

    private func word(_ picture: FramePicture?, _ verdict: Verdict) throws -> String {
        "\(try picture?.md5() ?? "none") \(verdict)"
    }

    private func answers(_ asset: VideoAsset) throws -> [String] {
        var options = FrameReader.Options()
        options.threadCount = 1
        var reader = FrameReader(asset, options: options)
        var found = [String](repeating: "", count: asset.frames.count)
        try reader.frames(numbered: asset.frames.indices) {
            found[$0.frame.number] = try word($0.picture, $0.verdict)
        }
        return found
    }

    private func feed(_ asset: VideoAsset, slots: Int, threads: Int = 2) -> EnginePictureFeed {
        EnginePictureFeed(asset, threadCount: threads, keptByteLimit: slots * asset.index.pictureBufferByteCount)
    }

    /// All that comes out, while the feed prepares whatever it can between two frames.
    private func run(_ feed: EnginePictureFeed, prepares: Bool = true) throws -> [(frame: Int, word: String)] {
        var found: [(frame: Int, word: String)] = []
        while true {
            switch try feed.step(isAhead: false) {
            case .more, .placeholder: break
            case .frame(let fed):
                found.append((fed.frame, try word(fed.image, fed.verdict)))
                while prepares, try feed.prepare() {}
            case .end: return found
            case .starved:
                Issue.record("starved")
                return found
            }
        }
    }

    @Test(arguments: clips)
    func forwardEqualsTheReader(_ name: String) throws {
        let asset = try asset(name)
        let truth = try answers(asset)
        for (start, stride, slots) in [(0, 1, 4), (truth.count / 2, 1, 1), (0, 3, 4)] {
            let feed = feed(asset, slots: slots)
            try feed.begin(at: start, .forward, stride: stride)
            let found = try run(feed)
            #expect(found.map(\.frame) == Array(Swift.stride(from: start, to: truth.count, by: stride)))
            #expect(found.allSatisfy { $0.word == truth[$0.frame] })
        }
    }

    @Test(arguments: clips)
    func backwardIsForwardReversed(_ name: String) throws {
        let asset = try asset(name)
        let truth = try answers(asset)
        let planner = asset.seekPlanner()
        let group =
            Dictionary(grouping: truth.indices) { planner.plan(forFrame: $0).restart }.values.map(\.count).max() ?? 1
        for slots in Set([1, 2, 7, max(1, group - 1), group, group + 1]) {
            for prepares in [true, false] {
                let feed = feed(asset, slots: slots)
                try feed.begin(at: truth.count - 1, .backward, stride: 1)
                let found = try run(feed, prepares: prepares)
                #expect(found.map(\.frame) == Array(truth.indices.reversed()), "\(slots) slots")
                #expect(found.allSatisfy { $0.word == truth[$0.frame] }, "\(slots) slots")
            }
        }
    }

    @Test func countedDecodesEqualTheFormula() throws {
        let asset = try asset("h264-bf3.mp4")
        let planner = asset.seekPlanner()
        for slots in [1, 2, 7, 30] {
            let feed = feed(asset, slots: slots)
            try feed.begin(at: asset.frames.count - 1, .backward, stride: 1)
            _ = try run(feed)
            // For each window, from a group's end, the closure of its frames.
            var (expected, last) = (0, asset.frames.count - 1)
            while last >= 0 {
                let restart = planner.plan(forFrame: last).restart
                let window = stride(from: last, through: max(0, last - slots + 1), by: -1)
                    .prefix { planner.plan(forFrame: $0).restart == restart }
                expected += planner.batchCost(of: Array(window)).pictures
                last -= window.count
            }
            #expect(feed.decodedCount == expected, "\(slots) slots")
        }
    }

    @Test func turningRoundUsesWhatIsKept() throws {
        let asset = try asset("h264-bf3.mp4")
        let feed = feed(asset, slots: 10)
        try feed.begin(at: 0, .forward, stride: 1)
        var shown = 0
        while shown < 30 { if case .frame = try feed.step(isAhead: false) { shown += 1 } }
        let before = feed.decodedCount
        try feed.begin(at: 28, .backward, stride: 1)
        for number in stride(from: 28, through: 21, by: -1) {
            guard case .frame(let fed) = try feed.step(isAhead: false) else {
                Issue.record("frame \(number) is not there")
                return
            }
            #expect(fed.frame == number && fed.decodedCount == 0)
        }
        #expect(feed.decodedCount == before)
    }

    @Test func aPlaceholderComesBeforeADistantFrame() throws {
        let asset = try asset("h264-bf3.mp4")
        let truth = try answers(asset)
        let planner = asset.seekPlanner()
        let far = try #require(truth.indices.first { planner.cost(ofFrame: $0).fed > 5 })
        let feed = feed(asset, slots: 4)
        try feed.begin(at: far, .forward, stride: 1)
        var placeholders: [FedPicture<FramePicture>] = []
        loop: while true {
            switch try feed.step(isAhead: false) {
            case .placeholder(let fed): placeholders.append(fed)
            case .frame(let fed):
                #expect(fed.frame == far)
                break loop
            default: break
            }
        }
        #expect(!placeholders.isEmpty && placeholders.count <= 2)
        for fed in placeholders {
            #expect(fed.frame != far && fed.verdict != .exact)
            #expect(try truth[fed.frame].hasPrefix(fed.image?.md5() ?? "none"))
        }
    }

    @Test func memoryStaysWithinItsBound() throws {
        let asset = try asset("h264-bf3.mp4")
        let picture = asset.index.pictureBufferByteCount
        for direction in [PlaybackDirection.forward, .backward] {
            let feed = feed(asset, slots: 6)
            try feed.begin(at: direction == .forward ? 0 : asset.frames.count - 1, direction, stride: 1)
            _ = try run(feed)
            let bound = 6 * picture + FrameEngine.workingByteCount(asset.index, threadCount: 2) + 6 * picture
            #expect(feed.peakByteCount <= bound)
        }
    }

    @Test func aBudgetIsNeverExceededAndGivenBack() throws {
        let asset = try asset("h264-bf3.mp4")
        let picture = asset.index.pictureBufferByteCount
        let budget = ScrubBudget(
            byteLimit: EnginePictureFeed.minimumByteCount(for: asset, threadCount: 2) + 8 * picture)
        let truth = try answers(asset)
        do {
            let feed = EnginePictureFeed(asset, threadCount: 2, budget: budget)
            for direction in [PlaybackDirection.forward, .backward] {
                try feed.begin(at: direction == .forward ? 0 : truth.count - 1, direction, stride: 1)
                let found = try run(feed)
                #expect(found.count == truth.count && found.allSatisfy { $0.word == truth[$0.frame] })
            }
            feed.close()
        }
        #expect(budget.peakByteCount <= budget.byteLimit)
        #expect(budget.usedByteCount == 0 && budget.heldByteCount == 0)
    }

    /// A budget's owner that left can't be asked for its spare buffers any more, so it has none, then and later.
    @Test func afterTheEndOnlyHeldBytesCount() throws {
        let asset = try asset("h264-bf3.mp4")
        let budget = ScrubBudget(byteLimit: 64 << 20)
        let feed = EnginePictureFeed(asset, threadCount: 1, budget: budget)
        try feed.begin(at: 0, .forward, stride: 1)
        var held: [FramePicture] = []
        while held.count < 6 {
            guard case .frame(let fed) = try feed.step(isAhead: false) else { continue }
            #expect(budget.heldByteCount == held.reduce(0) { $0 + $1.shared.byteCount }, "it waits until it is shown")
            held.append(try #require(fed.image))
            held.last?.handOut()
        }
        #expect(budget.usedByteCount > budget.heldByteCount, "the decoder has pictures of its own")
        feed.close()
        for _ in 0..<6 {
            #expect(budget.usedByteCount == budget.heldByteCount && budget.usedByteCount > 0)
            held.removeLast()
        }
        #expect(budget.usedByteCount == 0)
    }

    @Test func smallPicturesAreSmall() throws {
        let asset = try asset("h264-bf3.mp4")
        let feed = EnginePictureFeed(asset, inside: (64, 64))
        try feed.begin(at: 9, .backward, stride: 2)
        var frames: [Int] = []
        loop: while true {
            switch try feed.step(isAhead: false) {
            case .frame(let fed):
                frames.append(fed.frame)
                #expect((fed.image?.width ?? 99) <= 64 && (fed.image?.height ?? 99) <= 64)
            case .end: break loop
            default: break
            }
        }
        #expect(frames == [9, 7, 5, 3, 1])
    }
}
