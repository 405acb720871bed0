// Everything on the page docs/library.md in one program: tour FILM FOLDER.
import Foundation
import ScrubPlayers
import ScrubThumbnails

/// Drags a finger from the middle, prints what a view would show, and keeps the exact frame at rest.
func drag(_ video: VideoAsset, into folder: String) async throws {
    let session = try ScrubSession(video)
    let updates = session.updates
    let view = Task {
        for await update in updates {
            print("drag: frame \(update.frame.number) at \(update.frame.formatted()), \(update.stage)")
        }
    }
    var gesture = ScrubGesture()
    _ = gesture.began(at: 0.5)
    var last = Rational(1, 2)
    for step in 1...20 {
        let actions = gesture.changed(translation: .init(x: Double(step) * 4, y: 0), width: 320)
        if let target = actions.target {
            try session.scrub(to: .fraction(target))
            last = target
        }
        try await Task.sleep(for: .milliseconds(16))
    }
    _ = gesture.ended()
    if let update = try await session.exactFrame(at: .fraction(last)) {
        try update.picture?.writePNG(to: "\(folder)/exact.png", replacesFiles: true)
        print("drag: at rest, frame \(update.frame.number) is \(update.verdict.name)")
    }
    session.end()
    await view.value
}

/// Writes a strip of twenty thumbnails, and the best poster.
func pictures(of video: VideoAsset, into folder: String) async throws {
    let request = ThumbnailPlan.Request(.count(20), tolerance: .automatic)
    let strip = try await video.writeStrip(
        into: "\(folder)/strip", options: ThumbnailStrip.Options(request),
        progress: { if $0.completed == $0.total { print("strip: \($0.completed) \($0.unit)") } })
    print("strip: \(strip.storyboards.map(\.sheets.count)) sheets")
    for try await found in video.posters() {
        try found.picture.writePNG(to: "\(folder)/poster.png", replacesFiles: true)
        print("poster: frame \(found.poster.frame.number)")
    }
}

/// Plays a film on a presenter until ten frames were presented, or until its end.
func play(_ path: String, named name: String, _ resources: DecodingResources) async throws {
    let player = try Player([PlayerItem(PlayerMedia(path: path))], resources: resources)
    let presenter = Presenter()
    player.attach(presenter)
    let events = player.events([.failed, .playlistEnded])
    player.play()
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            var count = 0
            for await shown in presenter.frames where shown.kind == .presented {
                print("\(name): frame \(shown.frame.number)")
                count += 1
                if count == 10 { return }
            }
        }
        group.addTask {
            for await event in events {
                if case .failed(_, let error) = event { throw error }
                if case .playlistEnded = event { return }
            }
        }
        try await group.next()
        group.cancelAll()
    }
}

guard CommandLine.arguments.count == 3 else {
    print("usage: tour FILM FOLDER")
    exit(64)
}
let (path, folder) = (CommandLine.arguments[1], CommandLine.arguments[2])
do {
    let video = try await VideoAsset.open(path: path)
    print("\(video.frames.count) frames, \(video.duration.formatted(.clock))")
    try await drag(video, into: folder)
    let options = FramePicture.Options(size: .maximum(width: 640, height: 640))
    let image = try await video.image(at: .fraction(0.42), options: options)
    print("42 %: frame \(image.frame.number), \(image.pixels.width) x \(image.pixels.height)")
    try await pictures(of: video, into: folder)
    let resources = DecodingResources(byteLimit: 256 << 20, decoderLimit: 2)
    async let left: Void = play(path, named: "left", resources)
    async let right: Void = play(path, named: "right", resources)
    _ = try await (left, right)
} catch let error as ScrubError {
    print("\(error.file ?? path): \(error.cause)\nwhat to do: \(error.remedy)")
    exit(1)
}
