import Foundation
import ScrubMedia
import ScrubTestClips
import Testing

/// Many frames at once, groups side by side.
@Suite struct BatchTests {
    static let clips = [
        "h264-bf3.mp4", "h264-open-gop.mp4", "h264-intra.mp4", "h264-paff.mp4", "hevc-closed.mp4", "hevc-open-gop.mp4",
        "hevc-radl.mp4", "av1-svt.mp4", "vp9-altref.webm", "mpeg2-open.ts", "mjpeg.mov", "h264-one-key.mp4",
    ]

    @Test(arguments: clips, [1, 4]) func everyFrameComesOnce(_ file: String, _ threads: Int) throws {
        let clip = try KnownClip(file)
        var reader = FrameReader(clip.asset, options: .threads(threads))
        var (answered, problems) = ([Int](), [String]())
        // Repeats and any order are allowed.
        let asked = Array(clip.frames.reversed()) + clip.frames.prefix(5)
        try reader.frames(numbered: asked) { (answer) throws(ScrubError) in
            answered.append(answer.frame.number)
            do {
                if let problem = try clip.problem(answer) { problems.append(problem) }
            } catch { problems.append("\(error)") }
        }
        #expect(answered.sorted() == Array(clip.frames))
        #expect(problems.isEmpty, "\(problems.prefix(5))")
    }

    /// Together the answers tell the pictures that were decoded: every picture once when all frames are asked for.
    @Test(arguments: [("h264-bf3.mp4", 100), ("hevc-closed.mp4", 80), ("h264-one-key.mp4", 250), ("h264-paff.mp4", 32)])
    func everyPictureIsDecodedOnce(_ file: String, _ pictures: Int) throws {
        let clip = try KnownClip(file)
        for threads in [1, 3] {
            var reader = FrameReader(clip.asset, options: .threads(threads))
            var sum = 0
            try reader.frames(numbered: clip.frames) { (answer) throws(ScrubError) in sum += answer.decodedPictureCount
            }
            #expect(sum == pictures)
        }
    }

    /// One frame of each group has the same cost as alone, and some of each never more than all of the video.
    @Test(arguments: ["h264-bf3.mp4", "hevc-closed.mp4", "hevc-open-gop.mp4", "av1-svt.mp4"])
    func theCountsAreWhatWasFed(_ file: String) throws {
        let clip = try KnownClip(file)
        var reader = FrameReader(clip.asset, options: .threads(4))
        let plans = clip.frames.map { reader.decodePlan(ofFrame: $0) }
        var lastOfGroup: [Int: Int] = [:]
        for (number, plan) in plans.enumerated() where number % 2 == 1 { lastOfGroup[plan.restartPicture] = number }
        #expect(lastOfGroup.count > 1)
        var costs: [Int: Int] = [:]
        try reader.frames(numbered: lastOfGroup.values) { (answer) throws(ScrubError) in
            costs[answer.frame.number] = answer.decodedPictureCount
        }
        for number in lastOfGroup.values { #expect(costs[number] == plans[number].feed, "#\(number)") }

        let some = clip.frames.filter { $0 % 3 == 0 }
        var sum = 0
        var other = FrameReader(clip.asset, options: .threads(4))
        try other.frames(numbered: some) { (answer) throws(ScrubError) in sum += answer.decodedPictureCount }
        var everything = 0
        try other.frames(numbered: clip.frames) { (answer) throws(ScrubError) in
            everything += answer.decodedPictureCount
        }
        #expect(sum <= everything)
        #expect(sum >= some.map { plans[$0].feed }.max() ?? 0)
    }

    /// The taker's error comes out, whenever it throws, and the reader goes on to work.
    struct Enough: Error {}

    @Test(arguments: ["h264-bf3.mp4", "hevc-closed.mp4", "av1-svt.mp4", "mpeg2-open.ts"], [1, 4])
    func theTakersErrorComesOut(_ file: String, _ threads: Int) throws {
        let clip = try KnownClip(file)
        var reader = FrameReader(clip.asset, options: .threads(threads))
        for last in [1, 2, 7, clip.hashes.count] {
            var taken = 0
            var thrown: ScrubError?
            do throws(ScrubError) {
                try reader.eachFrame(numbered: clip.frames) { (_) throws(ScrubError) in
                    taken += 1
                    if taken == last { throw ScrubError(.usage, "enough") }
                }
            } catch { thrown = error }
            #expect(thrown == ScrubError(.usage, "enough"))
            #expect(taken == last)
            // An error of any type comes out as it is.
            let error = #expect(throws: Enough.self) {
                try reader.frames(numbered: clip.frames) { _ in throw Enough() }
            }
            #expect(error != nil)
        }
        var problems: [String?] = []
        for number in [5, 0, clip.hashes.count - 1] {
            problems.append(try clip.problem(reader.frame(numbered: number)))
        }
        #expect(problems == [nil, nil, nil])
    }

    @Test func noPositionsGiveNoFrames() throws {
        var reader = FrameReader(try KnownClip("h264-bf3.mp4").asset)
        var count = 0
        try reader.frames(numbered: []) { (_) throws(ScrubError) in count += 1 }
        #expect(count == 0)
    }
}
