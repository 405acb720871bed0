import Foundation
import ScrubFileIO
import ScrubTestClips
import ScrubTestSupport
import Testing

@testable import ScrubMedia

/// A film whose previews have no room is refused when the first ones tell it, and not when the cache is full.
@Suite struct PreviewForecastTests {
    private func forecast(done: Int, of count: Int, bytes: Int64 = 1000) -> PreviewForecast {
        var forecast = PreviewForecast(count: count)
        (forecast.doneCount, forecast.madeCount) = (done, done)
        forecast.madeByteCount = bytes * Int64(done)
        return forecast
    }

    @Test func theFirstOnesCountForTwoThirds() {
        let early = forecast(done: 10, of: 1010)
        #expect(early.byteCount == 1_000_000)
        #expect(!early.exceeds(CacheCapacity(byteCount: 667_000, isOfDisk: false)))
        #expect(early.exceeds(CacheCapacity(byteCount: 660_000, isOfDisk: false)))
        let late = forecast(done: 200, of: 1200)
        #expect(!late.exceeds(CacheCapacity(byteCount: 1_000_000, isOfDisk: false)))
        #expect(late.exceeds(CacheCapacity(byteCount: 999_999, isOfDisk: false)))
        // Without a preview there is nothing to tell from.
        #expect(!PreviewForecast(count: 9).exceeds(CacheCapacity(byteCount: 0, isOfDisk: false)))
        #expect(!PreviewForecast(count: 0).exceeds(CacheCapacity(byteCount: 0, isOfDisk: true)))
    }

    /// In a library of many films a look at the room takes longer than the previews before it.
    @Test func theRoomIsLookedAtLessAndLess() {
        var film = PreviewForecast(count: 216_000)
        var looks: [Int] = []
        for done in stride(from: 128, through: 216_000, by: 128) {
            film.doneCount = done
            if film.isDue() { looks.append(done) }
        }
        #expect(looks.prefix(4) == [128, 256, 384, 512] && looks.count < 40)
        // A film that becomes dense is noticed soon.
        for (last, next) in zip(looks, looks.dropFirst()) { #expect(next <= last + last / 4 + 128) }
    }

    @Test func theErrorSaysWhatFits() {
        // 200 thousand frames of 30 kB, and 5 GiB.
        let film = forecast(done: 128, of: 200_128, bytes: 30_000)
        let error = film.error(CacheCapacity(byteCount: 5 << 30, isOfDisk: false), kept: 3_840_000, side: 640)
        #expect(error.cause == "its previews need about 5.5 GiB, but the cache has room for 5.0 GiB")
        #expect(
            error.advice
                == "set SCRUB_CACHE_LIMIT to 13G or more, free space in the cache folder, or make smaller previews "
                + "(longSide: 544), which the viewer does not use")
        let full = film.error(CacheCapacity(byteCount: 1 << 20, isOfDisk: true), kept: 0, side: 640)
        #expect(full.cause.hasSuffix("the cache's disk has room for 1.0 MiB"))
        #expect(
            full.advice == "set SCRUB_CACHE_DIR to a folder on a larger disk, or free space in the cache folder")
    }

    private func previews(_ folder: TemporaryFolder, _ limit: String) throws -> Tool.Result {
        try Tool.run(
            CommandTests.program, ["previews", Clip.folder + "/clips/h264-one-key.mp4"],
            environment: ["SCRUB_CACHE_DIR": folder.path(of: "cache"), "SCRUB_CACHE_LIMIT": limit])
    }

    @Test func theCommandEndsBeforeTheCacheIsFull() throws {
        let folder = try TemporaryFolder()
        let refused = try previews(folder, "200K")
        #expect(refused.status == 69, "\(refused.errors)")
        #expect(refused.errors.contains(": its previews need about "), "\(refused.errors)")
        let kept = CacheDirectory.savedFiles(in: folder.path(of: "cache")).filter {
            $0.name.hasSuffix(".scrubpreviews") && $0.byteCount > 4096
        }
        #expect(kept.isEmpty, "\(kept)")
        // With the limit that it names they are made.
        let words = refused.errors.split(separator: " ").map(String.init)
        let place = try #require(words.firstIndex(of: "SCRUB_CACHE_LIMIT"), "\(refused.errors)")
        let made = try previews(folder, words[place + 2])
        #expect(made.status == 0 && made.output.contains("250 previews, 250 made now"), "\(made.output) \(made.errors)")
    }
}
