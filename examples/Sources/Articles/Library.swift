import Scrub
import ScrubPlayers
import ScrubThumbnails

func libraryImage(_ video: VideoAsset) async throws {
    let options = FramePicture.Options(size: .maximum(width: 640, height: 640))
    let image = try await video.image(at: .fraction(0.42), options: options)
    print(image.frame.number, image.pixels.width, image.pixels.height, image.pixels.bytes.count)  // RGBA, 8 bits each
    print(video.duration.formatted(.clock), image.frame.formatted(), image.verdict.name)
    // 0:07.000 0:02.933 exact
}

func libraryExactFrame(_ session: ScrubSession) async throws {
    if let update = try await session.exactFrame(at: .fraction(0.42)) {
        try update.picture?.writePNG(to: "exact.png")
    }
}

func libraryDrag(_ session: ScrubSession, dx: Double, dy: Double, width: Double) throws {
    var gesture = ScrubGesture()
    _ = gesture.began(at: 0.5)  // the playhead, as a fraction of the film
    let actions = gesture.changed(translation: .init(x: dx, y: dy), width: width)
    if let target = actions.target { try session.scrub(to: .fraction(target)) }
    _ = gesture.ended()
    session.rest()
}

func libraryThumbnails(_ video: VideoAsset) async throws {
    let request = ThumbnailPlan.Request(.count(100), tolerance: .automatic)
    let strip = try await video.writeStrip(
        into: "strip", options: ThumbnailStrip.Options(request),
        progress: { print($0.completed, "of", $0.total ?? 0, $0.unit) })
    print(strip.storyboards.map(\.sheets.count))  // sheets, thumbnails.vtt and manifest.json are in the folder

    for try await thumbnail in video.thumbnails(for: request) {
        print(thumbnail.slot.start, thumbnail.images.first?.width ?? 0)  // no image: the frame is undecodable
    }
    for try await found in video.posters() {  // best first, one by default
        try found.picture.writePNG(to: "poster.png")
        break  // ends the work
    }
}

func libraryPlayer(_ view: any PlainView) async throws {
    let resources = DecodingResources(byteLimit: 256 << 20, decoderLimit: 2)
    let player = try Player([PlayerItem(PlayerMedia(path: "film.mp4"))], resources: resources)
    let presenter = Presenter()
    player.attach(presenter)  // an earlier presenter resigns in the same step
    let events = player.events([.failed, .playlistEnded])
    player.play()
    for await shown in presenter.frames { view.show(shown.picture, isSharp: shown.kind != .nearest) }
    await libraryEvents(events)
}

func libraryEvents(_ events: Player.Events) async {
    for await event in events {
        switch event {
        case .failed(_, let error): print(error)
        case .playlistEnded: print("the end")
        default: break
        }
    }
}

func libraryController(_ presenter: Presenter, _ resources: DecodingResources) throws {
    let manager = PlayerControllerManager(resources: resources)
    let controller = try manager.controller(for: PlayerMedia(path: "film.mp4"))
    controller.attach(presenter)
    controller.play()
}

func libraryErrors() async throws {
    do {
        _ = try await VideoAsset.open(path: "missing.mp4")
    } catch let error as ScrubError {
        print(error)  // file, place, cause and what to do, in one line
        print(error.file ?? "", error.cause, error.remedy)
        if error.code == .noInput { print("choose another film") }
    }
}
