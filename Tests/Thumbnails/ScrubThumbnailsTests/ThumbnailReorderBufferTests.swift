import Foundation
import ScrubBase
import ScrubPictures
import ScrubTestSupport
import Testing

@testable import ScrubThumbnails

/// Pictures come as they are decoded; thumbnails come in their order, and those that cannot be decoded show their
/// neighbors'.
@Suite struct ThumbnailLineTests {
    /// Records what it is given; a picture's first byte is its frame's number.
    private final class CacheWriter: ThumbnailMaker {
        private(set) var given: [(slot: Int, frame: Int)] = []
        /// Nothing of the slots before this one is missing.
        let first: Int

        init(from first: Int) { self.first = first }

        func needs(_ slot: Int) -> Bool { slot >= first }
        func take(_ slot: Int, _ images: [RasterImage]) { given.append((slot, Int(images[0].bytes[0]))) }
    }

    private static func plan(_ frames: [Int]) -> ThumbnailPlan {
        let slots = frames.enumerated().map { number, frame in
            ThumbnailPlan.Slot(
                index: number, requestedTime: .zero, start: .zero, end: .zero, requestedFrameNumber: frame,
                frameNumber: frame,
                time: .zero, isOutside: false, isRepeat: number > 0 && frames[number - 1] == frame)
        }
        return ThumbnailPlan(
            slots: slots, slotIndices: Array(slots.indices), decodedPictureCount: 0, byteCount: 0, tolerance: .exact,
            groupCount: 0)
    }

    private static func answer(_ frame: Int, isDecodable: Bool) -> ThumbnailAnswer {
        let image = RasterImage(
            width: 1, height: 1, channels: 3, bitDepth: 8, bytes: [UInt8(frame), 0, 0], color: .sRGB)
        return ThumbnailAnswer(
            frame: frame, verdict: isDecodable ? .exact : .undecodable("no"), images: isDecodable ? [image] : [],
            hash: nil, warnings: [])
    }

    /// The frame of the nearest slot that can be decoded, of two as near the earlier one's.
    private static func expected(_ frames: [Int], _ isDecodable: (Int) -> Bool) -> [Int] {
        frames.indices.map { slot in
            frames.indices.filter { isDecodable(frames[$0]) }.min { (abs($0 - slot), $0) < (abs($1 - slot), $1) }
                .map { frames[$0] } ?? -1
        }
    }

    /// Any order of frames, any of them undecodable, stopped after any number of pictures and gone on from there.
    @Test func thumbnailsComeInTheirOrder() throws {
        var random = SplitMix(34)
        for round in 0..<60 {
            let count = Int.random(in: 1...14, using: &random)
            var frames = (0..<count).map { _ in Int.random(in: 0..<20, using: &random) }
            if round % 2 == 0 { frames.sort() }
            let share = [0.0, 0.3, 0.7][round % 3]
            let lost = Set((0..<20).filter { _ in Double.random(in: 0..<1, using: &random) < share })
            let decodable = { !lost.contains($0) }
            guard frames.contains(where: decodable) else { continue }
            let (plan, expected) = (ThumbnailLineTests.plan(frames), ThumbnailLineTests.expected(frames, decodable))
            for stop in 0...count {
                let folder = try TemporaryFolder()
                var finished = try ResumableOutput(path: folder.path(of: "kept"), plan: plan, key: "key")
                let first = CacheWriter(from: 0)
                var line = ThumbnailReorderBuffer(plan, finished, [first], lookSizes: [])
                // Near the film's order, as groups side by side and orders of decoding make it.
                let coming = line.begin(plan.slots.indices).enumerated()
                    .sorted { ($0.offset ^ 1, 0) < ($1.offset ^ 1, 0) }.map(\.element)
                for frame in coming.prefix(stop) {
                    try line.take(ThumbnailLineTests.answer(frame, isDecodable: decodable(frame)))
                }
                if stop >= coming.count { #expect(try line.end()) }
                // A process that ends here has nothing but the folder.
                finished = try ResumableOutput(path: folder.path(of: "kept"), plan: plan, key: "key")
                let known = finished.shown.map(\.frame)
                #expect(known == Array(expected.prefix(known.count)), "\(frames) without \(lost)")
                #expect(first.given.map(\.slot) == Array(known.indices) && first.given.map(\.frame) == known)
                // What is gone on from is often less than what was decoded.
                let second = CacheWriter(from: Int.random(in: 0...known.count, using: &random))
                line = ThumbnailReorderBuffer(plan, finished, [second], lookSizes: [])
                #expect(line.frames.isSubset(of: frames))
                for frame in line.begin(plan.slots.indices) {
                    try line.take(ThumbnailLineTests.answer(frame, isDecodable: decodable(frame)))
                }
                #expect(try line.end())
                #expect(finished.shown.map(\.frame) == expected, "\(frames) without \(lost), stopped at \(stop)")
                #expect(second.given.map(\.slot) == Array(second.first..<count))
                #expect(second.given.map(\.frame) == Array(expected[second.first...]))
            }
        }
    }

    /// A film of which nothing can be decoded has no thumbnails.
    @Test func nothingIsNothing() throws {
        let folder = try TemporaryFolder()
        let plan = ThumbnailLineTests.plan([1, 2, 3])
        let finished = try ResumableOutput(path: folder.path(of: "kept"), plan: plan, key: "key")
        let recorder = CacheWriter(from: 0)
        var line = ThumbnailReorderBuffer(plan, finished, [recorder], lookSizes: [])
        for frame in line.begin(0..<3) { try line.take(ThumbnailLineTests.answer(frame, isDecodable: false)) }
        #expect(try !line.end())
        #expect(recorder.given.isEmpty && finished.isEmpty)
    }

    /// What a list says of thumbnails or frames that are not the plan's is not believed.
    @Test func aListIsHeldAgainstThePlan() throws {
        let folder = try TemporaryFolder()
        let plan = ThumbnailLineTests.plan([1, 2, 3])
        let finished = try ResumableOutput(path: folder.path(of: "kept"), plan: plan, key: "key")
        for frame in [1, 2, 3] { try finished.append(.init(frame: frame, verdict: "exact")) }
        for (frames, count) in [([1, 2, 3], 3), ([1, 2], 2), ([2, 3], 0), ([1, 9, 3], 1)] {
            let plan = ThumbnailLineTests.plan(frames)
            // Reading cuts the list behind what is not believed.
            let copy = folder.path(of: "copy-\(count)")
            try FileManager.default.copyItem(atPath: folder.path(of: "kept"), toPath: copy)
            #expect(try ResumableOutput(path: copy, plan: plan, key: "key").shown.count == count)
            #expect(try ResumableOutput(path: copy, plan: plan, key: "other").shown.isEmpty)
        }
    }

    /// A plan in the film's order is decoded in one go, one in the opposite order in parts that fit into memory.
    @Test func plansOutOfOrderAreDecodedInParts() throws {
        let folder = try TemporaryFolder()
        let each = ThumbnailReorderBuffer.heldByteCount / 100
        let cases = [(Array(0..<250), 1), (Array((0..<250).reversed()), 3), ([0, 10, 0, 12, 13], 1)]
        for (number, (frames, parts)) in cases.enumerated() {
            let recorder = CacheWriter(from: 0)
            let plan = ThumbnailLineTests.plan(frames)
            let finished = try ResumableOutput(path: folder.path(of: "\(number)"), plan: plan, key: "key")
            var line = ThumbnailReorderBuffer(plan, finished, [recorder], lookSizes: [])
            let found = line.parts(pictureByteCount: each)
            #expect(found.count == parts && found.first?.lowerBound == 0 && found.last?.upperBound == frames.count)
            #expect(found.allSatisfy { $0.count <= 100 } || parts == 1)
            for part in found {
                for frame in line.begin(part) { try line.take(ThumbnailLineTests.answer(frame, isDecodable: true)) }
            }
            #expect(try line.end())
            #expect(recorder.given.map(\.frame) == frames)
        }
    }
}
