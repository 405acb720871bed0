import Foundation
import Scrub

func strip(_ video: VideoAsset) async throws {
    var options = ThumbnailStrip.Options(ThumbnailPlan.Request(.every(10), tolerance: .automatic))
    options.thumbnails.sizes = [.width(320), .box(width: 160, height: 90)]
    options.sheets.format = .webp
    let report = try await video.writeStrip(into: "strip", options: options, progress: { print("\($0) of \($1)") })
    print(report.storyboards.map(\.sheets.count), report.warnings)
}

func plan(_ video: VideoAsset) async throws {
    let plan = try await video.thumbnailPlan(for: ThumbnailPlan.Request(.count(100), tolerance: .within(2)))
    print(plan.decodedPictures, plan.approximateCount, plan.farthest.approximation)
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
    let report = try await video.posters(options)
    guard let best = report.posters.first else { return }
    let generator = try FrameGenerator(video)
    let jpeg = try await generator.encodedImage(
        at: .frame(best.frame.number), as: .jpeg, options: .init(size: .maximum(width: 1280, height: 720)))
    print(jpeg.width, jpeg.height, best.blurHash, best.thumbHashText)
}

func scenePosters(_ video: VideoAsset) async throws {
    for scene in try await video.scenes().scenes {
        var options = Poster.Options()
        options.span = scene.start..<scene.end
        print(scene.frame, try await video.posters(options).posters.map(\.frame.number))
    }
}

func covers(_ path: String) async throws {
    for cover in try await CoverArt.all(in: path) { print(cover.codec, cover.width, cover.height) }
}

func scenes(_ video: VideoAsset) async throws {
    let scenes = try await video.scenes().scenes
    let request = ThumbnailPlan.Request(.sceneChanges(scenes))
    try await print(video.writeStrip(into: "scenes", options: ThumbnailStrip.Options(request)).plan.slots.count)
}

func cancelledScenes(_ video: VideoAsset) async {
    let search = Task { try await video.scenes() }
    search.cancel()
    let report = await search.result
    print(report)
}
