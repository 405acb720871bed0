public import Observation
public import ScrubPlayersLogic
public import ScrubMedia

/// A video player without a screen: it delivers frames at their presentation times to a presenter.
///
/// ```swift
/// let player = try Player([PlayerItem(path: "one.mp4"), PlayerItem(path: "two.mp4")])
/// let presenter = Presenter { frame in draw(frame.picture) }
/// player.claim(presenter)
/// player.play()
/// for await event in player.events(.itemEnded) { … }
/// ```
///
/// It starts paused, on the first item's first frame. The next item's first pictures are decoded before an item ends,
/// so there is no gap between items. The list may change at any time. Properties are observable, and are set before an
/// event reports them. Changes of the current time are not reported: read ``currentTime`` or bind a
/// ``ProgressTracker``.
///
/// Thread safety: safe from any thread; no call waits for a decoder. Decoding uses separate threads, at most one per
/// attached decoder. One thread follows the clock for all players of a ``Timebase``.
///
/// Memory: for each of the current item and the next one, ``Player/Options/bufferByteLimit`` of pictures and a
/// decoder's own. With shared ``DecodingResources``, all memory comes from them.
public final class Player: Observable, TrackedPlayer, Sendable {
    let core: PlayerCore

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - items: the items to play, in order. Items with a repeated identity are ignored.
    ///   - options: the options of the player.
    ///   - timebase: the player's clock. Players with the same timebase can be synchronized (``PlayerGroup``).
    ///   - resources: the decoders and memory to share with other objects.
    /// - Throws: ``ScrubError`` with `usage` for invalid options, `inputOutput` if the system cannot create a thread.
    public convenience init(
        _ items: [PlayerItem] = [], options: Player.Options = .init(), timebase: Timebase = .realTime,
        resources: DecodingResources = .automatic
    ) throws(ScrubError) {
        try self.init(items, options: options, timebase: timebase, resources: resources, laneMaker: .decoding)
    }

    package init(
        _ items: [PlayerItem], options: Player.Options, timebase: Timebase, resources: DecodingResources,
        laneMaker: PlayerPipelineFactory
    ) throws(ScrubError) {
        core = try PlayerCore(
            items, options: options, timebase: timebase, resources: resources, laneMaker: laneMaker)
        core.face.setOwner(self)
    }

    deinit { core.close() }

    private func observed<Value>(_ path: KeyPath<Player, Value>, _ value: (PlayerObservableState.Values) -> Value)
        -> Value
    {
        core.face.registrar.access(self, keyPath: path)
        return core.state.withLock { value($0.shown) }
    }

    // MARK: State

    /// The current state. Observable.
    public var state: PlaybackState { observed(\.state) { $0.state } }
    /// The items in the list, excluding interrupting items. Observable.
    public var items: [PlayerItem] { observed(\.items) { $0.items } }
    /// The current item; `nil` for an empty list, and for one that ended because its last item was removed. Observable.
    public var currentItem: PlayerItem? { observed(\.currentItem) { $0.currentItem } }
    /// Whether enough is decoded ahead that playback should not stall. Observable.
    public var isLikelyToKeepUp: Bool { observed(\.isLikelyToKeepUp) { $0.isLikelyToKeepUp } }
    /// The reason why playback cannot continue; `nil` while it can. Observable.
    public var error: ScrubError? { observed(\.error) { $0.error } }

    /// Seconds of the medium per second of the clock. Initially 1. Below 0, it plays backward; at 0, it does not move.
    /// Observable.
    public var rate: Rational {
        get { observed(\.rate) { $0.rate } }
        set {
            core.perform { state, now in
                state.machine.setRate(newValue, at: now)
                state.refreshUpcoming()
            }
        }
    }

    /// Whether optional trackers follow items (``ItemTracker``). Default true. A tracker that is switched off stays off
    /// across items. When tracking is enabled, the current item's trackers receive the current properties and the
    /// measured values. Observable.
    public var isTrackingEnabled: Bool {
        get { observed(\.isTrackingEnabled) { $0.isTrackingEnabled } }
        set { core.perform { state, _ in state.isTrackingEnabled = newValue } }
    }

    /// Whether the player is set to play, even if something currently prevents playback.
    public var isPlaying: Bool { core.state.withLock { $0.machine.wantsToPlay && !$0.machine.hasEnded } }

    /// Seconds of the current item that are decoded ahead.
    public var bufferedDuration: Rational {
        let now = core.timebase.nanoseconds
        return core.state.withLock { $0.machine.situation(at: now).bufferedTime.seconds }
    }

    /// The exact time in seconds after the current item's first frame. It is within the duration of the frame on
    /// screen.
    public var currentTime: Rational { position.time }
    /// The number of the frame that is on screen; `nil` before the first one.
    public var currentFrame: Int? { position.frame }
    /// The current item, time and frame, at one moment.
    public var position: Player.Position {
        let now = core.timebase.nanoseconds
        return core.state.withLock { $0.position(at: now) }
    }
    /// The current item's duration in seconds; `nil` until it is loaded.
    public var duration: Rational? {
        core.state.withLock { state in state.playlist.currentItem.flatMap { state.loaded[$0.id]?.asset.duration } }
    }
    /// Counts of presented and dropped frames.
    public var counters: Player.Counters { core.state.withLock { Player.Counters($0.machine.counters) } }
    /// The log of the cost of seeks, stalls and drops.
    public var accessLog: AccessLog { core.log }
    /// The timebase of the player.
    public var timebase: Timebase { core.timebase }

    /// Returns events of the given kinds, until the player is released. Each caller has a separate stream, which does
    /// not retain the player.
    public func events(_ kinds: Player.Event.Kinds = .all) -> Player.Events { core.hub.stream(kinds) }

    /// Calls `body` for events of the given kinds, on any thread and without holding locks, until the observation or
    /// the player is released.
    public func observe(
        _ kinds: Player.Event.Kinds = .all, _ body: @escaping @Sendable (Player.Event) -> Void
    ) -> Player.Observation { core.hub.observe(kinds, body) }

    // MARK: Transport

    /// Starts playback, from the beginning if it has ended. If the item is not loaded yet, playback starts as soon as
    /// it is.
    ///
    /// If no item could be played, all are tried again.
    public func play() { core.perform { state, now in state.play(at: now) } }

    /// Pauses on the frame that is on screen.
    public func pause() { core.perform { state, now in state.machine.pause(at: now) } }

    /// Pauses if the player is playing, and plays otherwise.
    public func togglePlayPause() {
        core.perform { state, now in
            if state.machine.wantsToPlay, !state.machine.hasEnded {
                state.machine.pause(at: now)
            } else {
                state.play(at: now)
            }
        }
    }

    /// Seeks exactly to a position of the current item, and continues to play if it is playing. After the end it shows
    /// the frame and stays paused until ``play()``. A position outside the item is clamped to its nearest end.
    ///
    /// - Returns: the outcome of the seek. A newer seek replaces an older one.
    /// - Throws: ``ScrubError`` with `usage` for a frame number that does not exist in an item that is loaded.
    ///   `CancellationError` if the task was cancelled, which ends the wait but not the seek.
    @discardableResult
    public func seek(to position: FramePosition) async throws -> SeekOutcome {
        try Task.checkCancellation()
        _ = try core.state.withLock { state throws(ScrubError) in
            let asset = state.playlist.currentItem.flatMap { state.loaded[$0.id]?.asset }
            return try asset?.presentedFrame(nearest: position).number ?? 0
        }
        let begun = Locked<Int?>(nil)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let number = begin { state, number, now in
                    state.seeks[number] = continuation
                    state.seek(to: position, number: number, at: now)
                }
                begun.withLock { $0 = number }
                // It may have been cancelled before its number was known.
                if Task.isCancelled { leaveSeek(number) }
            }
        } onCancel: {
            if let number = begun.withLock({ $0 }) { leaveSeek(number) }
        }
        try Task.checkCancellation()
        return outcome
    }

    /// Stops waiting for a seek. The player still seeks.
    private func leaveSeek(_ number: Int) {
        core.perform { state, _ in
            guard let waiting = state.seeks.removeValue(forKey: number) else { return }
            state.jobs.append(.endSeeks([(waiting, .abandoned)]))
        }
    }

    /// Starts to seek to a position of the current item, like ``seek(to:)``, but without waiting.
    ///
    /// - Returns: the seek's number. ``landedSeek`` reaches it once the frame, or a newer one, is on screen.
    @discardableResult
    public func startSeek(to position: FramePosition) -> Int {
        begin { state, number, now in state.seek(to: position, number: number, at: now) }
    }

    /// The number of the latest seek whose frame is on screen.
    public var landedSeek: Int { core.state.withLock { $0.landedSeek } }

    /// Steps forward or backward by a number of frames, within the item.
    public func step(by count: Int) {
        begin { state, number, now in state.step(by: count, number: number, at: now) }
    }

    @discardableResult
    private func begin(_ body: (inout PlayerState, Int, Int64) -> Void) -> Int {
        core.perform { state, now in
            state.seekNumber += 1
            let number = state.seekNumber
            body(&state, number, now)
            state.refreshUpcoming()
            return number
        }
    }

    /// Begins scrubbing by a user. The clock no longer presents frames, seeks follow each other, and reaching the end
    /// does not end playback.
    public func beginScrubbing() { core.perform { state, now in state.machine.beginScrubbing(at: now) } }

    /// Ends scrubbing. Playback resumes if it was playing.
    public func endScrubbing() { core.perform { state, now in state.machine.endScrubbing(at: now) } }

    /// Frees memory in response to memory pressure. The player decodes only two pictures of the current item ahead, and
    /// none of later items. While it is paused, its decoders are closed. Other pictures decoded ahead are dropped at
    /// once if the player is paused or the level is `.critical`. Otherwise, they are released as they are shown.
    /// `.normal` ends these measures. The picture on screen stays, and every frame is shown.
    public func respond(to level: MemoryPressure.Level) { core.respond(to: level) }

    // MARK: Presenting

    /// Whether a presenter is showing the frames.
    public var hasPresenter: Bool { core.board.owner != nil }

    /// Makes a presenter the one that shows the player's frames.
    ///
    /// The player does not retain the presenter. If no other object does, it is released at once, and no frames are
    /// shown (``Player/Event/presenterChanged(hasPresenter:generation:)`` reports it).
    public func claim(_ presenter: Presenter) { core.claim(presenter.slot) }

    /// Transfers presentation to a presenter for a transition that may be cancelled.
    public func beginTransition(to presenter: Presenter) -> Presenter.Transition {
        Presenter.Transition(core, core.beginTransition(to: presenter.slot))
    }
}

extension Player {
    /// Counts of the frames that a player presented and dropped.
    public struct Counters: Sendable, Hashable {
        /// Presented frames.
        public let presented: Int
        /// Frames whose kept preview was shown on time because the exact picture was late.
        public let previews: Int
        /// Frames that were not shown, by reason. Frames whose preview was shown are included if their pictures came
        /// later.
        public let dropped: Player.DroppedFrames
        /// Frames whose time passed while there was no presenter.
        public let unseen: Int
        /// The number of times that playback had to wait for pictures.
        public let stalls: Int
        /// Seeks that a newer one replaced before they started.
        public let coalescedSeeks: Int
        /// The maximum delay of a presented frame, in nanoseconds.
        public let worstLateness: Int64
        /// The maximum time between the end of an item and the next item's first frame, in nanoseconds.
        public let worstTransition: Int64

        init(_ counters: PlayerMachine<PlayerItem.ID, FramePicture>.Counters) {
            (presented, previews) = (counters.presented, counters.previews)
            dropped = Player.DroppedFrames(
                late: counters.late, skippedBeforeDecoding: counters.skippedBeforeDecoding, jumped: counters.jumped)
            (unseen, stalls, coalescedSeeks) = (counters.unseen, counters.stalls, counters.coalescedSeeks)
            (worstLateness, worstTransition) = (counters.worstLateness, counters.worstTransition)
        }
    }
}
