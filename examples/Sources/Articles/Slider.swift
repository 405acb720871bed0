import ScrubPlayers

/// A slider on a screen.
@MainActor protocol Slider: AnyObject {
    var isHidden: Bool { get set }
    func move(to fraction: Double)
}

@MainActor func following(_ player: Player, _ slider: any Slider) async throws {
    let progress = ProgressTracker(interval: .milliseconds(250), clock: player.timebase)
    try progress.bind(to: player)
    for await value in progress.values() { slider.move(to: value.fraction.doubleValue) }
}

@MainActor final class SliderHand {
    let progress: ProgressTracker
    init(_ progress: ProgressTracker) { self.progress = progress }

    func touched() { progress.isInteracting = true }
    func moved(to fraction: Rational) { progress.fraction = fraction }
    func released() { progress.isInteracting = false }
    func takenAway() { progress.cancelInteraction() }
}

@MainActor func hiding(_ player: Player, _ slider: any Slider) async throws {
    let controls = VisibilityTracker(delay: .seconds(3), clock: player.timebase)
    try controls.bind(to: player)
    for await isVisible in controls.values() { slider.isHidden = !isVisible }
}

func spinning(_ player: Player, _ spinner: @escaping @Sendable (Bool) -> Void) -> Player.Observation {
    let observation = player.observe([.state, .buffering]) { [weak player] _ in
        guard let player else { return }
        spinner(player.state == .preparing || player.state == .stalled)
    }
    return observation
}

@MainActor final class SliderScreen {
    let progress: ProgressTracker
    let controls: VisibilityTracker
    init(_ progress: ProgressTracker, _ controls: VisibilityTracker) {
        (self.progress, self.controls) = (progress, controls)
    }

    func left() {
        progress.unbind()
        controls.unbind()
    }
}
