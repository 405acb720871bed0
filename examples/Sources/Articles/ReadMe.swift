import Scrub

func readMe() async throws {
    let video = try await VideoAsset.open(path: "film.mp4")  // reads the tables, decodes nothing
    print(video.frames.count, video.frames[42].seconds)

    let generator = try FrameGenerator(video)
    let answer = try await generator.frame(at: .seconds(12.5))
    if case .exact = answer.verdict, let picture = answer.picture {
        picture.plane(0).withRow(0) { luma in print(luma[0]) }
        try picture.writePNG(to: "frame.png")
    }
    for try await result in generator.frames(at: [.first, .fraction(0.42), .last]) {
        print(result.requested, try result.get().actualTime)
    }
}

/// The surface that an application draws on.
protocol PlainView {
    func show(_ picture: FramePicture?, isSharp: Bool)
}

func readMe(_ video: VideoAsset, _ view: any PlainView) async throws {
    let session = try ScrubSession(video)
    session.scrub(toFrame: 1234)  // microseconds; ask as often as the finger moves
    for await update in session.updates { view.show(update.picture, isSharp: update.stage == .exact) }
}
