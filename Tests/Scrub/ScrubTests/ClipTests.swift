import Foundation
import Scrub
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Every generated clip, every frame, against ffmpeg's linear decode.
@Suite struct ClipTests {
    @Test func manifestIsThere() { #expect(Clip.all.count > 200) }

    /// One opening and one linear walk answer for all that is true of a sound clip's frames.
    @Test(arguments: Clip.all.filter { $0.kind == .good })
    func everyFrameIsExact(_ clip: Clip) throws {
        let hashes = try clip.expectedHashes()
        let asset = try clip.open()
        #expect(asset.frames.count == hashes.count)
        #expect(asset.missingMedia == nil)
        var wrong: [String] = []
        var answered = Set<Int>()
        var burnedIn = BurnedInNumbers(clip, frameCount: asset.frames.count)
        var reader = FrameReader(asset)
        try reader.frames(numbered: asset.frames.indices) { (answer) throws(ScrubError) in
            let number = answer.frame.number
            answered.insert(number)
            if let problem = try ClipTests.problem(with: answer, hashes) { wrong.append("#\(number): \(problem)") }
            burnedIn.check(answer)
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(4))")
        #expect(answered.count == asset.frames.count)
        burnedIn.expectRight()
        try ClipTests.expectRandomFramesAlone(asset, hashes)
        try TimeRoundTripTests.check(asset, clip.file)
    }

    /// One at a time, in random order, through one decoder that jumps back and forth.
    private static func expectRandomFramesAlone(_ asset: VideoAsset, _ hashes: [String]) throws {
        var generator = SplitMix(UInt64(hashes.count))
        let random = (0..<5).map { _ in Int.random(in: asset.frames.indices, using: &generator) }
        var reader = FrameReader(asset)
        for number in (random + [0, asset.frames.count - 1]).shuffled(using: &generator) {
            let answer = try reader.frame(at: .frame(number))
            let problem = try ClipTests.problem(with: answer, hashes)
            #expect(problem == nil, "#\(number)")
        }
    }

    /// The picture says itself which one it is.
    private struct BurnedInNumbers {
        /// `nil` for a clip whose pictures carry none.
        let numbers: [Int?]?
        var wrong: [String] = []
        var (asked, readable) = (0, 0)

        init(_ clip: Clip, frameCount: Int) {
            guard clip.burnedIn else {
                numbers = nil
                return
            }
            let told = clip.expectedNumbers()
            if told.count != frameCount {
                Issue.record("the manifest has \(told.count) numbers for \(frameCount) frames")
            }
            numbers = told.count == frameCount ? told : nil
        }

        /// Looks at every third frame.
        mutating func check(_ answer: FrameAnswer) {
            let number = answer.frame.number
            guard let numbers, number % 3 == 0, let expected = numbers[number] else { return }
            asked += 1
            guard let picture = answer.picture, let read = BurnedInNumber.read(picture) else { return }
            readable += 1
            if read != expected { wrong.append("#\(number) shows \(read), not \(expected)") }
        }

        func expectRight() {
            guard numbers != nil else { return }
            #expect(wrong.isEmpty, "\(wrong.prefix(4))")
            #expect(asked > 0 && readable * 10 >= asked * 9, "\(readable) of \(asked) numbers can be read")
        }
    }

    /// A picture that is called exact in a damaged file is one that the linear decode made too.
    @Test(arguments: Clip.all.filter { $0.kind == .damaged })
    func damagedClipsAreHonest(_ clip: Clip) throws {
        let made = Set(try clip.expectedHashes())
        let asset = try clip.open()
        var exact = 0
        var reader = FrameReader(asset)
        try reader.frames(numbered: asset.frames.indices) { (answer) throws(ScrubError) in
            guard answer.verdict == .exact else {
                #expect(answer.verdict.reason?.isEmpty == false)
                return
            }
            exact += 1
            guard let hash = try answer.picture?.md5() else {
                Issue.record("#\(answer.frame.number) is called exact and has no picture")
                return
            }
            #expect(made.contains(hash), "#\(answer.frame.number)")
        }
        #expect(exact > 0)
        try TimeRoundTripTests.check(asset, clip.file)
    }

    @Test(arguments: Clip.all.filter { $0.kind == .refused })
    func refusedClipsSayWhy(_ clip: Clip) throws {
        let error = #expect(throws: ScrubError.self) { _ = try clip.open() }
        #expect(error?.code.exitStatus == clip.expectExit)
        #expect(error?.file == clip.path)
        #expect((error?.cause.count ?? 0) > 5)
    }

    private static func problem(with answer: FrameAnswer, _ hashes: [String]) throws(ScrubError) -> String? {
        guard answer.verdict == .exact, let picture = answer.picture else {
            return "\(answer.verdict.name), \(answer.verdict.reason ?? "")"
        }
        let hash = try picture.md5()
        guard hashes.indices.contains(answer.frame.number), hash == hashes[answer.frame.number] else {
            return hashes.firstIndex(of: hash).map { "the picture of #\($0)" } ?? "a picture nobody made"
        }
        return nil
    }
}

/// The bar code at the top of the generated clips; its layout is in `testdata/README.md`.
enum BurnedInNumber {
    /// Bytes from one sample of the first plane to the next, the byte to look at, and the least value that is light.
    /// The sample is luma, green, or red, and of deeper samples the upper byte.
    private static let samples: [String: (step: Int, byte: Int, light: UInt8)] = [
        "yuv420p": (1, 0, 128), "yuvj420p": (1, 0, 128), "yuv422p": (1, 0, 128), "yuvj422p": (1, 0, 128),
        "yuv444p": (1, 0, 128), "yuva420p": (1, 0, 128), "gray": (1, 0, 128), "pal8": (1, 0, 128), "gbrp": (1, 0, 128),
        "yuv410p": (1, 0, 128), "yuv411p": (1, 0, 128), "yuvj444p": (1, 0, 128),
        "bgr0": (4, 1, 128), "rgb0": (4, 1, 128),
        "rgb24": (3, 1, 128), "bgr24": (3, 1, 128), "bgra": (4, 1, 128), "rgba": (4, 1, 128), "argb": (4, 1, 128),
        "yuv420p10le": (2, 1, 2), "yuv422p10le": (2, 1, 2), "yuv444p10le": (2, 1, 2),
        "yuv444p12le": (2, 1, 8), "yuva444p12le": (2, 1, 8),
    ]

    /// The number that a picture shows, if it can be read.
    static func read(_ picture: FramePicture) -> Int? {
        guard let sample = samples[picture.pixelFormat], picture.width >= 96, picture.height >= 42 else { return nil }
        let plane = picture.plane(0)
        var number = 0
        for bit in 0..<12 {
            let x = (2 * bit + 1) * picture.width / 24 * sample.step + sample.byte
            let upper = plane.withRow(picture.height / 28) { $0[x] }
            let lower = plane.withRow(3 * picture.height / 28) { $0[x] }
            let isLight = upper >= sample.light
            guard isLight != (lower >= sample.light) else { return nil }
            // QuickTime's palette of grays begins with white.
            if isLight != (picture.pixelFormat == "pal8") { number |= 1 << bit }
        }
        return number
    }
}
