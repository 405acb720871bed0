import Foundation
import Scrub
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// The effect of numbers that make no sense: they throw `usage`, or stop the program if a call throws nothing. Each as
/// its documentation says.
@Suite struct OptionTests {
    /// A request that cannot be, by the words that a developer looks for.
    private struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (VideoAsset, String) async throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (VideoAsset, String) async throws -> Void) {
            (testDescription, self.run) = (name, run)
        }
    }

    private static func reader(_ change: (inout FrameReader.Options) -> Void) -> FrameReader.Options {
        var options = FrameReader.Options()
        change(&options)
        return options
    }

    private static func generator(_ name: String, _ change: @escaping @Sendable (inout FrameReader.Options) -> Void)
        -> Row
    {
        Row("FrameGenerator, \(name)") { video, _ in _ = try FrameGenerator(video, options: reader(change)) }
    }

    private static func session(_ name: String, _ change: @escaping @Sendable (inout ScrubSession.Options) -> Void)
        -> Row
    {
        Row("ScrubSession, \(name)") { video, _ in
            var options = ScrubSession.Options()
            change(&options)
            _ = try ScrubSession(video, options: options)
        }
    }

    private static func opening(_ name: String, _ change: @escaping @Sendable (inout VideoAsset.OpenOptions) -> Void)
        -> Row
    {
        Row("VideoAsset.open, \(name)") { video, _ in
            var options = VideoAsset.OpenOptions(cache: .none)
            change(&options)
            _ = try await VideoAsset.open(path: video.path, options: options)
        }
    }

    private static func plan(
        _ name: String, _ places: ThumbnailPlan.Request.Positions, _ tolerance: ThumbnailPlan.Request.Tolerance = .exact
    ) -> Row {
        Row("thumbnailPlan, \(name)") { video, _ in
            _ = try await video.thumbnailPlan(for: ThumbnailPlan.Request(places, tolerance: tolerance))
        }
    }

    private static func strip(_ name: String, _ change: @escaping @Sendable (inout ThumbnailStrip.Options) -> Void)
        -> Row
    {
        Row("writeStrip, \(name)") { video, folder in
            var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.count(2)))
            change(&options)
            _ = try await video.writeStrip(into: folder, options: options) { _ in
                Issue.record("a picture was decoded")
            }
        }
    }

    private static func sets(_ name: String, _ change: @escaping @Sendable (inout ThumbnailSets.Options) -> Void) -> Row
    {
        Row("writeThumbnailSets, \(name)") { video, folder in
            var options = ThumbnailSets.Options([.web])
            change(&options)
            _ = try await video.writeThumbnailSets(into: folder, options: options)
        }
    }

    private static func sheet(_ name: String, _ change: @escaping @Sendable (inout ContactSheet.Options) -> Void) -> Row
    {
        Row("contactSheet, \(name)") { video, _ in
            var options = ContactSheet.Options()
            change(&options)
            _ = try await video.contactSheet(options: options)
        }
    }

    private static func posters(_ name: String, _ change: @escaping @Sendable (inout Poster.Options) -> Void) -> Row {
        Row("posters, \(name)") { video, _ in
            var options = Poster.Options()
            change(&options)
            _ = try await video.posterReport(options: options)
        }
    }

    private static func scenes(_ name: String, _ change: @escaping @Sendable (inout VideoScene.Options) -> Void) -> Row
    {
        Row("scenes, \(name)") { video, _ in
            var options = VideoScene.Options()
            change(&options)
            _ = try await video.scenes(options: options)
        }
    }

    private static func size(_ name: String, _ size: FramePicture.Size) -> Row {
        Row("image, \(name)") { video, _ in
            _ = try await FrameGenerator(video).image(at: .first, options: FramePicture.Options(size: size))
        }
    }

    private static func network(_ name: String, _ change: @escaping @Sendable (inout NetworkOptions) -> Void) -> Row {
        Row("open(url:), \(name)") { _, _ in
            var options = NetworkOptions()
            change(&options)
            let url = try #require(URL(string: "http://127.0.0.1:1/film.mp4"))
            _ = try await VideoAsset.open(url: url, options: VideoAsset.OpenOptions(cache: .none), network: options)
        }
    }

    /// Options for which neither 0 nor less means anything.
    private static let positive: [Row] =
        [0, -1].flatMap { (number: Int) -> [Row] in
            [
                generator("decoderLimit \(number)") { $0.decoderLimit = number },
                generator("threadCount \(number)") { $0.threadCount = number },
                session("decoderLimit \(number)") { $0.decoderLimit = number },
                session("threadCount \(number)") { $0.threadCount = number },
                session("previewSide \(number)") { $0.previewSide = number },
                session("keyPictureSide \(number)") { $0.keyPictureSide = number },
                opening("pictureByteLimit \(number)") { $0.pictureByteLimit = number },
                opening("maximumPixelCount \(number)") { $0.limits.maximumPixelCount = number },
                opening("maximumRequestTime \(number)") { $0.limits.maximumRequestTime = .seconds(number) },
                Row("verify, sample \(number)") { video, _ in _ = try await video.verify(sample: number) },
                Row("verify, threadCount \(number)") { video, _ in
                    _ = try await video.verify(options: reader { $0.threadCount = number })
                },
                Row("verifyThumbnailSets, sample \(number)") { video, folder in
                    _ = try await video.verifyThumbnailSets(in: folder, sample: number)
                },
                Row("writeKeyframeMovie, every \(number)") { video, folder in
                    _ = try await video.writeKeyframeMovie(to: folder + "/k.mp4", every: Rational(Int64(number)))
                },
                plan("count \(number)", .count(number)), plan("every \(number)", .every(Rational(Int64(number)))),
                strip("width \(number)") { $0.thumbnails.sizes = [.width(number)] },
                strip("height \(number)") { $0.thumbnails.sizes = [.height(number)] },
                strip("box \(number)") { $0.thumbnails.sizes = [.maximum(width: number, height: 64)] },
                strip("threadCount \(number)") { $0.thumbnails.threadCount = number },
                strip("columns \(number)") { $0.sheets.columns = number },
                strip("rows \(number)") { $0.sheets.rows = number },
                strip("quality \(number)") { $0.sheets.quality = number },
                sets("quality \(number)") { $0.quality = number },
                sets("threadCount \(number)") { $0.threadCount = number },
                sheet("columns \(number)") { $0.columns = number }, sheet("width \(number)") { $0.width = number },
                sheet("quality \(number)") { $0.quality = number },
                sheet("threadCount \(number)") { $0.threadCount = number },
                posters("count \(number)") { $0.count = number },
                posters("candidateCount \(number)") { $0.candidateCount = number },
                posters("threadCount \(number)") { $0.threadCount = number },
                scenes("maximumSceneCount \(number)") { $0.maximumSceneCount = number },
                scenes("threadCount \(number)") { $0.threadCount = number },
                size("width \(number)", .width(number)), size("height \(number)", .height(number)),
                size("exact \(number)", .exact(width: number, height: 9)),
                Row("encodedImage, quality \(number)") { video, _ in
                    _ = try await FrameGenerator(video).encodedImage(at: .first, as: .jpeg, quality: number)
                },
                Row("convert, quality \(number)") { _, folder in
                    _ = try await ThumbnailSets.convert(folder, to: .vtt, into: folder, quality: number)
                },
                network("connections \(number)") { $0.connectionLimit = number },
                network("connectTimeout \(number)") { $0.connectTimeout = .seconds(number) },
                network("answerTimeout \(number)") { $0.answerTimeout = .seconds(number) },
                network("stallTimeout \(number)") { $0.stallTimeout = .seconds(number) },
                network("readTimeout \(number)") { $0.readTimeout = .seconds(number) },
            ]
        }

    /// Options for which 0 means something, and less does not.
    private static let natural: [Row] = [
        generator("cacheByteLimit -1") { $0.cacheByteLimit = -1 },
        session("keyPictureCount -1") { $0.keyPictureCount = -1 },
        session("patience -1") { $0.patience = .seconds(-1) },
        opening("stream -1") { $0.stream = -1 },
        strip("nameDigits -1") { $0.sheets.nameDigits = -1 },
        scenes("minimumDuration -1") { $0.minimumDuration = -1 },
        plan("tolerance -1", .count(2), .within(-1)), plan("no position", .at([])),
        plan("no scene", .scenes([])),
        strip("no size") { $0.thumbnails.sizes = [] },
        size("maximum -1", .maximum(width: -1, height: 9)),
    ]

    @Test(arguments: positive + natural) private func throwsUsage(_ row: Row) async throws {
        let folder = try TemporaryFolder()
        let video = try KnownClip("h264-bf3.mp4").asset
        let error = await #expect(throws: ScrubError.self) { try await row.run(video, folder.path) }
        #expect(error?.code == .usage, "\(error as Any)")
        // The remedy.
        #expect(error?.advice != nil, "\(error as Any)")
    }

    /// The least that each takes.
    @Test func theLeastIsEnough() async throws {
        let video = try KnownClip("h264-bf3.mp4").asset
        let least = OptionTests.reader { ($0.decoderLimit, $0.cacheByteLimit, $0.threadCount) = (1, 0, 1) }
        #expect(try await FrameGenerator(video, options: least).frame(at: .frame(9)).verdict == .exact)
        var options = ScrubSession.Options()
        (options.decoderLimit, options.threadCount, options.patience) = (1, 1, .zero)
        (options.keyPictureCount, options.keyPictureSide, options.previewSide) = (0, 1, 1)
        let session = try ScrubSession(video, options: options)
        session.scrub(toFrame: 9, isMoving: false)
        session.waitUntilIdle()
        #expect(try await video.verify(orders: [.alone], sample: 1).faults.isEmpty)
        // Negative tolerances of single frames count as none.
        let near = try await FrameGenerator(video).frame(at: .frame(9), tolerance: .within(-1))
        #expect(near.frame.number == 9)
    }

    /// Calls that throw nothing stop the program.
    @Test func othersArePreconditions() async throws {
        await #expect(processExitsWith: .failure) { _ = ScrubBudget(byteLimit: 0) }
        await #expect(processExitsWith: .failure) { _ = ScrubBudget(byteLimit: -1) }
        await #expect(processExitsWith: .failure) {
            var options = FrameReader.Options()
            options.threadCount = 0
            _ = FrameReader(try KnownClip("h264-bf3.mp4").asset, options: options)
        }
        await #expect(processExitsWith: .failure) {
            var options = FrameReader.Options()
            options.cacheByteLimit = -1
            _ = FrameReader(try KnownClip("h264-bf3.mp4").asset, options: options)
        }
        await #expect(processExitsWith: .failure) {
            let recording = try await GrowingVideo.open(
                path: Clip.folder + "/clips/h264-bf3.mp4", options: .init(cache: .none))
            _ = recording.updates(interval: .zero)
        }
        await #expect(processExitsWith: .failure) { _ = FramePosition.fraction(Double.nan) }
        await #expect(processExitsWith: .failure) { _ = FramePosition.fraction(Double.infinity) }
    }

    @Test func fractionsOfDoublesAreWhatTheyWereWrittenFor() throws {
        let slider: Double = 0.42
        #expect(FramePosition.fraction(slider) == .fraction(Rational(21, 50)))
        #expect(FramePosition.fraction(Double(1) / 3) == .fraction(Rational(1, 3)))
        #expect(
            FramePosition.fraction(approximating: .nan) == nil
                && FramePosition.fraction(approximating: -.infinity) == nil)
        #expect(FramePosition.fraction(0.42) == .fraction(Rational(21, 50)))
        let video = try KnownClip("h264-bf3.mp4").asset
        #expect(try video.presentedFrame(at: .fraction(slider)).number == 42)
        let error = #expect(throws: ScrubError.self) { try video.presentedFrame(at: .fraction(slider + 1)) }
        #expect(error?.code == .usage)
    }

    /// An address where a path is meant: the call that takes it is named, and no password.
    @Test(arguments: ["https://user:secret@example.com/film.mp4?key=1", "http://127.0.0.1:1/a.mkv"])
    func addressesAreNotPaths(_ address: String) async throws {
        for open in [
            { _ = try await VideoAsset.open(path: address, options: VideoAsset.OpenOptions(cache: .none)) },
            { _ = try await GrowingVideo.open(path: address, options: VideoAsset.OpenOptions(cache: .none)) },
            { _ = try await CoverArt.load(from: address) },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: ScrubError.self) { try await open() }
            #expect(error?.code == .noInput && error?.advice?.contains("open(url:)") == true, "\(error as Any)")
            #expect(error.map { !"\($0)".contains("secret") && !"\($0)".contains("key=1") } == true)
        }
    }
}
