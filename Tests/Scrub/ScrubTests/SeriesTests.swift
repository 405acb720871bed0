import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The cost of a series, in pictures given to decoders, and series of files.
@Suite struct SeriesTests {
    /// Twenty groups of a hundred pictures, of which each but the first depends on the one before.
    private func film(in folder: TemporaryFolder) throws -> VideoAsset {
        let path = folder.path(of: "film.mp4")
        let made = try Tool.run(
            "ffmpeg",
            [
                "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25", "-frames:v", "2000", "-c:v",
                "libx264", "-preset", "ultrafast", "-g", "100", "-keyint_min", "100", "-sc_threshold", "0",
                "-pix_fmt", "yuv420p", path,
            ])
        try #require(made.status == 0, "\(made.errors)")
        return try VideoAsset(path: path, options: VideoAsset.OpenOptions(cache: .none))
    }

    /// The same 125 frames each time, in no order.
    private var numbers: [Int] {
        var (state, numbers): (UInt64, Set<Int>) = (1, [])
        var order: [Int] = []
        while order.count < 125 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = Int(state >> 33) % 2000
            if numbers.insert(number).inserted { order.append(number) }
        }
        return order
    }

    private func cost(
        _ generator: FrameGenerator, _ numbers: [Int], _ order: FrameGenerator.Order
    ) async throws -> (decoded: Int, frames: [Int]) {
        var (decoded, frames) = (0, [Int]())
        for try await result in generator.frames(at: numbers.map { .frame($0) }, order: order) {
            let answer = try result.get()
            #expect(answer.verdict == .exact && answer.frame.number == numbers[result.index])
            decoded += answer.decodedPictureCount
            frames.append(answer.frame.number)
        }
        return (decoded, frames)
    }

    /// In any order, positions that jump about cost the same as sorted, and as much as a plan says beforehand.
    @Test(arguments: [1, 2]) func anyOrderDecodesEachGroupOnce(_ threads: Int) async throws {
        let folder = try TemporaryFolder()
        let video = try film(in: folder)
        let generator = try FrameGenerator(video, options: .threads(threads))
        let least = try await video.thumbnailPlan(for: ThumbnailPlan.Request(.at(numbers.map { .frame($0) })))
            .decodedPictureCount
        for order in [numbers, numbers.sorted(), numbers.reversed(), numbers + numbers] as [[Int]] {
            let found = try await cost(generator, order, .asDecoded)
            #expect(found.frames.sorted() == order.sorted())
            // A frame that is wanted twice is decoded once, and says so twice.
            if order.count == numbers.count { #expect(found.decoded == least) }
        }
        // As asked, sorted positions cost the same, except for groups at the border of two windows.
        let sorted = try await cost(generator, numbers.sorted(), .asRequested)
        #expect(sorted.frames == numbers.sorted() && sorted.decoded < least * 3 / 2)
        #expect(try await cost(generator, numbers, .asRequested).decoded > least * 2)
    }

    /// Files are those of single requests, in both orders, close together and far apart.
    @Test(arguments: [FrameGenerator.Order.asRequested, .asDecoded], [1, 3])
    func filesAreThoseOfSingleRequests(_ order: FrameGenerator.Order, _ threads: Int) async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let generator = try FrameGenerator(clip.asset, options: .threads(threads))
        let jumps = [99, 3, 57, 3, 80, 12].map { FramePosition.frame($0) }
        let positions = jumps + [.frame(100)] + (20..<40).map { .frame($0) }
        let small = FramePicture.Options(size: .maximum(width: 64, height: 64))
        for format in [ImageFormat.png, .jpeg, .webp] {
            var places: [Int] = []
            for try await result in generator.encodedFrames(at: positions, as: format, order: order, options: small) {
                places.append(result.index)
                guard result.requested != .frame(100) else {
                    let error = #expect(throws: ScrubError.self) { try result.get() }
                    #expect(error?.code == .usage)
                    continue
                }
                let encoded = try result.get()
                #expect(
                    FramePosition.frame(encoded.frame.number) == positions[result.index] && encoded.verdict == .exact)
                #expect(encoded.requestedFrame == encoded.frame && encoded.actualTime == encoded.frame.time)
                let alone = try await generator.encodedImage(at: result.requested, as: format, options: small)
                #expect(encoded.file.bytes == alone.bytes && encoded.file.width == alone.width)
            }
            #expect(places.sorted() == Array(positions.indices))
            if order == .asRequested { #expect(places == Array(positions.indices)) }
        }
    }

    /// Images are the pixels of single requests, in both orders, and each position that does not exist fails alone.
    @Test(arguments: [FrameGenerator.Order.asRequested, .asDecoded])
    func imagesAreThoseOfSingleRequests(_ order: FrameGenerator.Order) async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let generator = try FrameGenerator(clip.asset)
        let positions = [3, 99, 1000, 0, 3, 50].map { FramePosition.frame($0) }
        let small = FramePicture.Options(size: .width(80))
        var places: [Int] = []
        for try await result in generator.images(at: positions, order: order, layout: .rgb8, options: small) {
            places.append(result.index)
            guard result.requested != .frame(1000) else {
                #expect(throws: ScrubError.self) { try result.get() }
                continue
            }
            let image = try result.get()
            #expect(FramePosition.frame(image.frame.number) == positions[result.index] && image.verdict == .exact)
            let alone = try await clip.asset.image(at: result.requested, layout: .rgb8, options: small)
            #expect(image.pixels.bytes == alone.pixels.bytes && image.pixels.width == 80)
            #expect(alone.frame == image.frame && alone.verdict == .exact && alone.requestedTime == image.requestedTime)
        }
        #expect(places.sorted() == Array(positions.indices))
        if order == .asRequested { #expect(places == Array(positions.indices)) }
    }

    /// One frame without a generator: the linear decode's picture, its own or with shared resources, and the same
    /// errors.
    @Test func aVideoGivesOneFrame() async throws {
        let clip = try KnownClip("hevc-open-gop.mp4")
        let resources = DecodingResources(byteLimit: 256 << 20, decoderLimit: 1)
        for number in [0, 17, clip.hashes.count - 1] {
            let answer = try await clip.asset.frame(at: .frame(number))
            #expect(try clip.problem(answer) == nil)
            let shared = try await clip.asset.frame(at: .frame(number), resources: resources)
            #expect(try clip.problem(shared) == nil)
        }
        let error = await #expect(throws: ScrubError.self) { try await clip.asset.frame(at: .fraction(2)) }
        #expect(error?.code == .usage)
        #expect(try clip.asset.presentedFrame(nearest: .fraction(2)).number == clip.hashes.count - 1)
        // One call after another, with resources that have room for one of them.
        var options = FrameReader.Options()
        (options.decoderLimit, options.cacheByteLimit) = (1, 0)
        let one = DecodingResources(byteLimit: options.minimumByteCount(for: clip.asset), decoderLimit: 1)
        for number in [3, 30, 4, 40] {
            #expect(try clip.problem(try await clip.asset.frame(at: .frame(number), resources: one)) == nil)
        }
        let small = DecodingResources(byteLimit: 1000)
        let refused = await #expect(throws: ScrubError.self) {
            try await clip.asset.frame(at: .first, resources: small)
        }
        #expect(refused?.code == .unavailable)
    }

    @Test func filesSayWhatIsWrong() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let generator = try FrameGenerator(clip.asset)
        let error = await #expect(throws: ScrubError.self) {
            for try await _ in generator.encodedFrames(at: [.first], as: .jpeg, quality: 0) {}
        }
        #expect(error?.code == .usage)
        // A size that cannot be is each frame's own failure.
        let wrong = FramePicture.Options(size: .width(0))
        for try await result in generator.encodedFrames(at: [.first, .last], as: .jpeg, options: wrong) {
            let error = #expect(throws: ScrubError.self) { try result.get() }
            #expect(error?.code == .usage)
        }
        // With a tolerance the file says which frame it shows.
        for try await result in generator.encodedFrames(at: [.frame(9)], as: .jpeg, tolerance: .any) {
            let encoded = try result.get()
            #expect(encoded.requestedFrame.number == 9 && encoded.frame.number != 9)
            guard case .approximate = encoded.verdict else {
                Issue.record("\(encoded.verdict)")
                continue
            }
        }
    }

    /// As asked, files wait for their turn in a window; positions beyond it are not taken.
    @Test func filesAreMadeAsTheyAreNeeded() async throws {
        let clip = try KnownClip("h264-bf3.mp4")
        let generator = try FrameGenerator(clip.asset)
        let taken = Locked(0)
        let positions = EndlessPositions(taken: taken)
        var got = 0
        for try await result in generator.encodedFrames(at: positions, as: .jpeg) {
            #expect(try !result.get().file.bytes.isEmpty)
            got += 1
            if got == 10 { break }
        }
        #expect(taken.withLock { $0 } <= 10 + 2 * SeriesLimits.window + 2)
    }
}
