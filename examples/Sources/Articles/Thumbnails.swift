import Foundation
import Scrub
import ScrubThumbnails

func strip(_ video: VideoAsset) async throws {
    var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.every(10), tolerance: .automatic))
    options.thumbnails.sizes = [.width(320), .maximum(width: 160, height: 90)]
    options.sheets.format = .webp
    let report = try await video.writeStrip(
        into: "strip", options: options, progress: { print($0.completed, "of", $0.total ?? 0) })
    print(report.storyboards.map(\.sheets.count), report.warnings)
}

func plan(_ video: VideoAsset) async throws {
    let plan = try await video.thumbnailPlan(for: ThumbnailPlan.Request(.count(100), tolerance: .within(2)))
    print(plan.decodedPictureCount, plan.approximateCount, plan.maximumDistance.doubleValue)
}

/// The surface that an application draws on.
@MainActor protocol Timeline: AnyObject {
    func show(_ image: PixelImage, at time: Rational)
}

@MainActor func thumbnails(_ video: VideoAsset, _ timeline: any Timeline) async throws {
    let request = ThumbnailPlan.Request(.count(100), tolerance: .automatic)
    for try await thumbnail in video.thumbnails(for: request) {
        guard let image = thumbnail.images.first else { continue }
        timeline.show(image, at: thumbnail.slot.start)
    }
}

func sets(_ video: VideoAsset) async throws {
    var options = ThumbnailSets.Options([.web, .jellyfin, .roku])
    options.request = ThumbnailPlan.Request(.every(10), tolerance: .automatic)
    let report = try await video.writeThumbnailSets(into: "sets", options: options)
    for set in report.sets { print(set.profile, set.folder, set.thumbnailCount) }
}

func posters(_ video: VideoAsset) async throws {
    var options = Poster.Options()
    options.count = 3
    for try await found in video.posters(options: options) {
        try found.picture.writePNG(to: "poster-\(found.poster.frame.number).png")
        print(found.poster.scores.score, found.poster.blurHash, found.poster.thumbHashText)
    }
}

func posterCandidates(_ video: VideoAsset) async throws {
    let report = try await video.posterReport()
    print(report.posters.map(\.frame.number), report.candidates.count, report.note ?? "")
}

func scenePosters(_ video: VideoAsset) async throws {
    for scene in try await video.scenes() {
        var options = Poster.Options()
        options.timeRange = scene.start..<scene.end
        print(scene.frameNumber, try await video.posterReport(options: options).posters.map(\.frame.number))
    }
}

func covers(_ path: String) async throws {
    for cover in try await CoverArt.load(from: path) { print(cover.codec, cover.width, cover.height) }
}

func scenes(_ video: VideoAsset) async throws {
    let scenes = try await video.scenes()
    let request = ThumbnailPlan.Request(.scenes(scenes))
    try await print(video.writeStrip(into: "scenes", options: ThumbnailStrip.Options(request)).plan.slots.count)
}

func cancelledScenes(_ video: VideoAsset) async {
    let search = Task { try await video.scenes() }
    search.cancel()
    let result = await search.result
    print(result)
}
