import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Posters with their pictures, in order of choice.
@Suite struct PosterSequenceTests {
    /// The posters are the report's, and each picture is its frame's.
    @Test(arguments: ["demo.mp4", "h264-bf3.mp4", "hevc-open-gop.mp4", "h264-one-key.mp4"])
    func postersAreThoseOfTheReport(_ file: String) async throws {
        let clip = try KnownClip(file)
        var options = Poster.Options()
        options.count = 4
        let report = try await clip.asset.posterReport(options: options)
        var found: [Poster] = []
        for try await element in clip.asset.posters(options: options) {
            found.append(element.poster)
            let number = element.poster.frame.number
            #expect(try element.picture.md5() == clip.hashes[number], "frame \(number)")
        }
        #expect(!found.isEmpty && found.map(\.frame) == report.posters.map(\.frame))
        #expect(found.map(\.scores) == report.posters.map(\.scores))
        #expect(found.map(\.preview) == report.posters.map(\.preview))
    }

    /// The first one is the same whatever number is asked for, and a reader may leave after it.
    @Test func theFirstIsTheBest() async throws {
        let video = try KnownClip("demo.mp4").asset
        var first: [Int] = []
        for count in [1, 3] {
            var options = Poster.Options()
            options.count = count
            for try await element in video.posters(options: options) {
                first.append(element.poster.frame.number)
                break
            }
        }
        #expect(first.count == 2 && first[0] == first[1])
    }

    @Test func whatIsWrongIsThrown() async throws {
        let video = try KnownClip("h264-bf3.mp4").asset
        var options = Poster.Options()
        options.count = 0
        var posters = video.posters(options: options).makeAsyncIterator()
        do {
            _ = try await posters.next()
            Issue.record("no posters are a request")
        } catch let error as ScrubError {
            #expect(error.code == .usage)
        }
        #expect(try await posters.next() == nil)
    }

    @Test func itEndsWithItsTask() async throws {
        let video = try KnownClip("demo.mp4").asset
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in video.posters() { Issue.record("it has a poster") }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
