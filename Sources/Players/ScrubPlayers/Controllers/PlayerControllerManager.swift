public import ScrubPlayersLogic
public import ScrubMedia

/// The only strong owner of controllers: one for each video, made when it is asked for, kept until it is cleared.
///
/// ```swift
/// let manager = PlayerControllerManager(byteLimit: 256 << 20, decoderLimit: 4)
/// let controller = try manager.controller(for: PlayerMedia(path: "film.mp4"))
/// controller.claim(presenter)
/// controller.play()
/// ```
///
/// Any number of videos may be known; at most ``decoderLimit`` decoders are open, and all pictures together stay within
/// ``byteLimit``. Controllers that are not in use keep their place in the video and little else. If there are more
/// than ``controllerLimit``, those that were asked for longest ago are released first, and never one in use.
///
/// Thread safety: safe from any thread.
public final class PlayerControllerManager: Sendable {
    private struct State {
        var controllers: [PlayerMedia.Identifier: PlayerController] = [:]
        /// The controllers in the order in which they were asked for, the newest last.
        var order: [PlayerMedia.Identifier] = []
        var watch: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let options: Player.Options
    private let timebase: Timebase
    /// The resources that the controllers share.
    public let resources: PlaybackResources
    /// The most controllers that are kept without being in use, beside the one that was made last.
    public let controllerLimit: Int

    /// Makes a manager.
    ///
    /// - Parameters:
    ///   - byteLimit: the most bytes of all pictures together: decoders', those that are ahead of their time, and those
    ///     that presenters hold. Default 512 MiB.
    ///   - decoderLimit: the most decoders that are open. Default 4.
    ///   - controllerLimit: the most controllers that are kept without being in use. Default 32.
    ///   - options: the options of the players.
    ///   - timebase: their clock.
    /// - Precondition: `byteLimit` and `decoderLimit` are 1 or more, and `controllerLimit` is 0 or more.
    public convenience init(
        byteLimit: Int = 512 << 20, decoderLimit: Int = 4, controllerLimit: Int = 32,
        options: Player.Options = .init(), timebase: Timebase = .realTime
    ) {
        self.init(
            resources: PlaybackResources(byteCount: byteLimit, decoderCount: decoderLimit),
            controllerLimit: controllerLimit, options: options, timebase: timebase)
    }

    /// Makes a manager whose players share decoders and memory with sessions, generators and other players.
    ///
    /// - Parameters:
    ///   - resources: the resources that they share.
    ///   - controllerLimit: the most controllers that are kept without being in use. Default 32.
    ///   - options: the options of the players.
    ///   - timebase: their clock.
    /// - Precondition: `controllerLimit` is 0 or more.
    public init(
        resources: PlaybackResources, controllerLimit: Int = 32, options: Player.Options = .init(),
        timebase: Timebase = .realTime
    ) {
        precondition(controllerLimit >= 0, "a limit of \(controllerLimit) controllers: give 0 or more")
        (self.resources, self.controllerLimit) = (resources, controllerLimit)
        (self.options, self.timebase) = (options, timebase)
    }

    deinit { state.withLock { $0.watch }?.cancel() }

    /// The most bytes of all pictures; `Int.max` where the resources have no budget.
    public var byteLimit: Int { resources.budget?.byteLimit ?? .max }
    /// The most decoders that are open.
    public var decoderLimit: Int { resources.decoders.limit }
    /// The controllers that there are.
    public var controllers: [PlayerController] {
        state.withLock { state in state.order.compactMap { state.controllers[$0] } }
    }

    /// Returns the controller of a video; it is made if it does not exist yet.
    ///
    /// - Throws: ``ScrubError`` with `usage` for options that cannot be meant, `inputOutput` when the system has no
    ///   thread left.
    public func controller(for media: PlayerMedia) throws(ScrubError) -> PlayerController {
        if let controller = existing(media.identifier) { return controller }
        let made = try PlayerController(media, options: options, timebase: timebase, resources: resources)
        // Two may have asked at once: the first one's is everybody's.
        let (controller, gone) = state.withLock { state -> (PlayerController, [PlayerController]) in
            if let there = state.controllers[media.identifier] { return (there, []) }
            state.controllers[media.identifier] = made
            state.order.append(media.identifier)
            return (made, trim(&state, to: controllerLimit, except: media.identifier))
        }
        withExtendedLifetime(gone) {}
        return controller
    }

    /// Returns the controller of a video, if there is one.
    public func existing(_ identifier: PlayerMedia.Identifier) -> PlayerController? {
        state.withLock { state in
            guard let controller = state.controllers[identifier] else { return nil }
            state.order.removeAll { $0 == identifier }
            state.order.append(identifier)
            return controller
        }
    }

    /// Gets videos ready that are likely to be played next: opened, and with the first pictures decoded as far as a
    /// decoder is free.
    ///
    /// - Throws: as ``controller(for:)``.
    public func prefetch(_ media: [PlayerMedia]) throws(ScrubError) {
        for media in media { _ = try controller(for: media) }
    }

    /// Releases a video's controller. Its pictures and its decoder go with the last one who holds it.
    public func clear(_ identifier: PlayerMedia.Identifier) {
        let gone = state.withLock { state in
            state.order.removeAll { $0 == identifier }
            return state.controllers.removeValue(forKey: identifier)
        }
        withExtendedLifetime(gone) {}
    }

    /// Releases all controllers.
    public func clearAll() {
        let gone = state.withLock { state in
            defer { (state.controllers, state.order) = ([:], []) }
            return state.controllers
        }
        withExtendedLifetime(gone) {}
    }

    /// Releases controllers that are not in use, those that were asked for longest ago first.
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

    /// Makes room because memory is scarce. With `.warning`, players drop pictures decoded ahead and those kept for
    /// playing backward (``Player/respond(to:)``). With `.critical`, controllers that are not in use go as well.
    /// Pictures on screen stay. With `.normal` players decode ahead again.
    public func respond(to level: MemoryPressure.Level) {
        let (controllers, gone) = state.withLock { state -> ([PlayerController], [PlayerController]) in
            let gone = level == .critical ? trim(&state, to: 0, except: nil) : []
            return (Array(state.controllers.values), gone)
        }
        withExtendedLifetime(gone) {}
        for controller in controllers { controller.player.respond(to: level) }
    }

    /// Responds to a source's news, until the manager is gone or ``ignoreMemoryPressure()``.
    ///
    /// - Throws: as the source's start: when nothing on this system reports memory pressure.
    public func respond(to pressure: MemoryPressure) throws(ScrubError) {
        try pressure.start()
        let levels = pressure.levels
        let task = Task { [weak self] in
            for await level in levels {
                guard let self else { break }
                self.respond(to: level)
            }
            // It stops when it is released, so nothing else may hold it.
            withExtendedLifetime(pressure) {}
        }
        state.exchange(\.watch, for: task)?.cancel()
    }

    /// Responds to memory pressure no more.
    public func ignoreMemoryPressure() { state.exchange(\.watch, for: nil)?.cancel() }
}
