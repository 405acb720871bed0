import ScrubPlayers

@MainActor func opening() throws -> PlayerController {
    let manager = PlayerControllerManager(resources: DecodingResources(byteLimit: 256 << 20))
    let controller = try manager.controller(for: PlayerMedia(path: "film.mp4"))
    return controller
}

func gettingReady(_ manager: PlayerControllerManager, next: [PlayerMedia], gone: PlayerMedia) throws {
    try manager.prefetch(next)
    manager.removeController(for: gone.identifier)
}

/// The surface that an application draws on, from any thread.
protocol Layer: AnyObject, Sendable {
    func show(_ picture: FramePicture?, isSharp: Bool, at seconds: Double)
}

func presenting(_ controller: PlayerController, on view: any Layer) -> Presenter {
    let card = Presenter { frame in view.show(frame.picture, isSharp: true, at: frame.frame.seconds) }
    controller.attach(card)
    controller.play()
    return card
}

func dragging(_ controller: PlayerController, to page: Presenter, isOpen: Bool) {
    let transition = controller.beginTransition(to: page)
    if isOpen { transition.finish() } else { transition.cancel() }
}

func makingRoom(_ manager: PlayerControllerManager) throws {
    try manager.respond(to: MemoryPressureMonitor())
}
