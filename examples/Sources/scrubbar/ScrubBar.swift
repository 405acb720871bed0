import Scrub

/// A scrub bar without a window: a view controller forwards its pan recogniser's four callbacks to it.
final class ScrubBar {
    /// Points that stand for the whole film.
    let width = 320.0
    let session: ScrubSession
    private let transport: ScrubTransport
    private var gesture = ScrubGesture()

    init(_ video: VideoAsset) throws {
        session = try ScrubSession(video)
        transport = ScrubTransport(duration: video.duration)
    }

    func began() { perform(gesture.began(at: transport.fraction, isPlaying: transport.isPlaying)) }
    func moved(x: Double, y: Double) {
        perform(gesture.changed(translation: .init(x: x, y: y), width: width))
    }
    func ended() {
        perform(gesture.ended())
        session.rest()
    }

    private func perform(_ actions: ScrubGesture.Actions) {
        transport.apply(actions)
        // A fraction within 0...1 always names a frame.
        if let target = actions.target { _ = try? session.scrub(to: .fraction(target)) }
    }
}
