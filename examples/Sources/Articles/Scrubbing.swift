import Scrub

final class ScrubController {
    let session: ScrubSession, transport: ScrubTransport
    var gesture = ScrubGesture()

    init(_ video: VideoAsset) throws {
        session = try ScrubSession(video)
        transport = ScrubTransport(duration: video.duration)
    }
    func shouldBegin(_ x: Double, _ y: Double) -> Bool { ScrubGesture.shouldBegin(translation: .init(x: x, y: y)) }
    func began() { perform(gesture.began(at: transport.fraction, isPlaying: transport.isPlaying)) }
    func changed(_ x: Double, _ y: Double, width: Double) {
        perform(gesture.changed(translation: .init(x: x, y: y), width: width))
    }
    func ended() { perform(gesture.ended()); session.rest() }
    func cancelled() { perform(gesture.cancelled()); session.rest() }

    private func perform(_ actions: ScrubGesture.Actions) {
        transport.apply(actions)
        if let target = actions.target { _ = try? session.scrub(to: .fraction(target)) }
    }
}

/// The surface that an application draws on.
@MainActor protocol View: AnyObject {
    func show(_ picture: FramePicture?, isSharp: Bool, at seconds: Double)
}

@MainActor func showing(_ session: ScrubSession, _ view: any View) async {
    for await update in session.updates {
        if let error = update.error {
            print(error)  // What is on screen stays.
        } else {
            view.show(update.picture, isSharp: update.stage == .exact, at: update.frame.seconds)
        }
    }
}

func preparing(_ session: ScrubSession) async throws {
    try await session.preparePreviews(aroundFrame: 1200)
    if let track = session.previews { print(track.frameCount, track.byteCount, track.processorTime) }
}

func sharing(_ first: VideoAsset, _ second: VideoAsset) throws -> [ScrubSession] {
    let resources = DecodingResources(byteLimit: 512 << 20)
    var options = ScrubSession.Options()
    options.previewSide = 480
    let sessions = [
        try ScrubSession(first, options: options, resources: resources),
        try ScrubSession(second, options: options, resources: resources),
    ]
    return sessions
}

func observing(_ session: ScrubSession) {
    let observation = session.observe { update in print(update.frame.number, update.stage) }
    session.scrub(toFrame: 42)
    observation.end()
}

func logging(_ session: ScrubSession) async {
    for await event in session.events { print(event.kind, event.requestedFrame, event.latency) }
    print(session.counters.stallCount)
}
