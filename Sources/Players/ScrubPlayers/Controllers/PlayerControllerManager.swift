public import ScrubPlayersLogic
public import ScrubMedia

/// The owner of all controllers. It creates one controller per video on request, and keeps it until it is cleared or
/// released because of ``controllerLimit``. Screens hold controllers weakly or request them again.
///
/// ```swift
/// let manager = PlayerControllerManager(resources: DecodingResources(byteLimit: 256 << 20))
/// let controller = try manager.controller(for: PlayerMedia(path: "film.mp4"))
/// controller.attach(presenter)
/// controller.play()
/// ```
///
/// The number of videos is unlimited. All of them share the decoders and the memory of ``resources``. A controller that
/// is not in use keeps its position in the video and little else. If more than ``controllerLimit`` controllers are not
/// in use, the least recently requested of them are released.
///
/// Thread safety: safe from any thread.
public final class PlayerControllerManager: Sendable {
    private struct State {
        var controllers: [PlayerMedia.Identifier: PlayerController] = [:]
        /// The controllers in order of request, the most recent last.
        var order: [PlayerMedia.Identifier] = []
        var watch: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let options: Player.Options
    private let timebase: Timebase
    /// The resources that the controllers share.
    public let resources: DecodingResources
    /// The maximum number of unused controllers to keep, not counting the most recently created controller.
    public let controllerLimit: Int

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - controllerLimit: the maximum number of unused controllers to keep. Default 32.
    ///   - options: the options of the players.
    ///   - timebase: the clock of the players.
    ///   - resources: the decoders and memory that the players share with each other, and with any sessions and
    ///     generators that use the same resources. By default, the manager's players share four decoders and 512 MiB.
    /// - Precondition: `controllerLimit` is 0 or more.
    public init(
        controllerLimit: Int = 32, options: Player.Options = .init(), timebase: Timebase = .realTime,
        resources: DecodingResources = .automatic
    ) {
        let resources = resources.isAutomatic ? DecodingResources(byteLimit: 512 << 20) : resources
        precondition(controllerLimit >= 0, "the limit is \(controllerLimit) controllers: use 0 or more")
        (self.resources, self.controllerLimit) = (resources, controllerLimit)
        (self.options, self.timebase) = (options, timebase)
    }

    deinit { state.withLock { $0.watch }?.cancel() }

    /// The existing controllers.
    public var controllers: [PlayerController] {
        state.withLock { state in state.order.compactMap { state.controllers[$0] } }
    }

    /// Returns the controller of a video, creating it if necessary.
    ///
    /// - Throws: ``ScrubError`` with `usage` for invalid options, `inputOutput` if the system cannot create a thread.
    public func controller(for media: PlayerMedia) throws(ScrubError) -> PlayerController {
        if let controller = existingController(for: media.identifier) { return controller }
        let made = try PlayerController(media, options: options, timebase: timebase, resources: resources)
        // Two callers may have requested it at the same time; both get the controller that was added first.
        let (controller, gone) = state.withLock { state -> (PlayerController, [PlayerController]) in
            if let there = state.controllers[media.identifier] { return (there, []) }
            state.controllers[media.identifier] = made
            state.order.append(media.identifier)
            return (made, trim(&state, to: controllerLimit, except: media.identifier))
        }
        withExtendedLifetime(gone) {}
        return controller
    }

    /// Returns the controller of a video, if it exists.
    public func existingController(for identifier: PlayerMedia.Identifier) -> PlayerController? {
        state.withLock { state in
            guard let controller = state.controllers[identifier] else { return nil }
            state.order.removeAll { $0 == identifier }
            state.order.append(identifier)
            return controller
        }
    }

    /// Prepares videos that are likely to be played next: opens them, and decodes their first pictures if a decoder is
    /// free.
    ///
    /// - Throws: the errors of ``controller(for:)``.
    public func prefetch(_ media: [PlayerMedia]) throws(ScrubError) {
        for media in media { _ = try controller(for: media) }
    }

    /// Releases a video's controller. Its pictures and decoder are released when no other object retains the
    /// controller.
    public func removeController(for identifier: PlayerMedia.Identifier) {
        let gone = state.withLock { state in
            state.order.removeAll { $0 == identifier }
            return state.controllers.removeValue(forKey: identifier)
        }
        withExtendedLifetime(gone) {}
    }

    /// Releases all controllers.
    public func removeAllControllers() {
        let gone = state.withLock { state in
            defer { (state.controllers, state.order) = ([:], []) }
            return state.controllers
        }
        withExtendedLifetime(gone) {}
    }

    /// Releases controllers that are not in use, starting with the least recently requested.
    private func trim(_ state: inout State, to limit: Int, except kept: PlayerMedia.Identifier?) -> [PlayerController] {
        var spare = state.order.filter { $0 != kept && state.controllers[$0]?.isInUse == false }
        var gone: [PlayerController] = []
        while spare.count > limit {
            let identifier = spare.removeFirst()
            state.order.removeAll { $0 == identifier }
            if let controller = state.controllers.removeValue(forKey: identifier) { gone.append(controller) }
        }
        return gone
    }

    // MARK: Memory pressure

    /// Frees memory in response to memory pressure. Every player responds as described for ``Player/respond(to:)``.
    /// With `.critical`, controllers that are not in use are also released. Pictures on screen stay. With `.normal`,
    /// players decode ahead again.
    public func respond(to level: MemoryPressureMonitor.Level) {
        let (controllers, gone) = state.withLock { state -> ([PlayerController], [PlayerController]) in
            let gone = level == .critical ? trim(&state, to: 0, except: nil) : []
            return (Array(state.controllers.values), gone)
        }
        withExtendedLifetime(gone) {}
        for controller in controllers { controller.player.respond(to: level) }
    }

    /// Responds to reports from a memory pressure source until the manager is released or ``ignoreMemoryPressure()`` is
    /// called.
    ///
    /// - Throws: the errors of ``MemoryPressureMonitor/start()``. It is not an error if the system does not report
    ///   memory pressure.
    public func respond(to pressure: MemoryPressureMonitor) throws(ScrubError) {
        try pressure.start()
        let levels = pressure.levels
        let task = Task { [weak self] in
            for await level in levels {
                guard let self else { break }
                self.respond(to: level)
            }
            // The monitor stops when it is released, so the task retains it until the levels end.
            withExtendedLifetime(pressure) {}
        }
        state.exchange(\.watch, for: task)?.cancel()
    }

    /// Stops responding to memory pressure.
    public func ignoreMemoryPressure() { state.exchange(\.watch, for: nil)?.cancel() }
}
