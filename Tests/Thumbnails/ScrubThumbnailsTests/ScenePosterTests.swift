import Foundation
import ScrubThumbnails
import ScrubTestClips
import ScrubTestSupport
import Testing

/// Posters of a part of a film, such as one scene.
@Suite struct ScenePosterTests {
    private func video() throws -> VideoAsset { try KnownClip("h264-bf3.mp4").asset }

    /// All that is looked at lies in the span, also where it holds no key picture.
    @Test func postersLieInTheirSpan() async throws {
        let video = try video()
        let frames = video.frames.indices
        for (first, end) in [(0, 20), (31, 38), (40, 41), (60, frames.count), (0, frames.count)] {
            var options = Poster.Options()
            options.count = 2
            let last = end < frames.count ? video.time(ofFrame: end) : video.duration
            options.timeRange = video.time(ofFrame: first)..<last
            let report = try await video.posterReport(options: options)
            let seen = (report.candidates + report.posters).map(\.frame.number)
            #expect(!report.posters.isEmpty && seen.allSatisfy { (first..<end).contains($0) }, "\(first) \(seen)")
        }
    }

    @Test func eachSceneHasItsPoster() async throws {
        let video = try KnownClip("demo.mp4").asset
        for scene in try await video.scenes() {
            var options = Poster.Options()
            options.timeRange = scene.start..<scene.end
            let poster = try #require(try await video.posterReport(options: options).posters.first)
            #expect(poster.frame.time >= scene.start && poster.frame.time < scene.end)
        }
    }

    /// Between two frames the one on screen is meant; outside the film nothing is.
    @Test func spansAtTheEdges() async throws {
        let video = try video()
        var options = Poster.Options()
        let step = try #require(video.time(ofFrame: 8).subtracting(video.time(ofFrame: 7)))
        let third = try #require(step.divided(by: Rational(3)))
        options.timeRange = video.time(ofFrame: 7) + third..<video.time(ofFrame: 7) + third + third
        let between = try await video.posterReport(options: options).posters
        #expect(between.map(\.frame.number) == [7])
        for span in [video.duration..<video.duration + 1, -2..<Rational(-1), -1..<Rational.zero] {
            options.timeRange = span
            let wrong = options
            let error = await #expect(throws: ScrubError.self) { _ = try await video.posterReport(options: wrong) }
            #expect(error?.code == .usage, "\(span)")
        }
        options.timeRange = -1..<video.duration + 1
        let whole = try await video.posterReport(options: options).posters
        #expect(!whole.isEmpty)
    }
}
