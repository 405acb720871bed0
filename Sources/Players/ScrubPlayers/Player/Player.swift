public import Observation
public import ScrubPlayersLogic
public import ScrubMedia

/// A video player without a screen: it delivers frames at their presentation times to a presenter.
///
/// ```swift
/// let player = try Player([PlayerItem(path: "one.mp4"), PlayerItem(path: "two.mp4")])
/// let presenter = Presenter { frame in draw(frame.picture) }
/// player.attach(presenter)
/// player.play()
/// for await event in player.events(.itemEnded) { … }
/// ```
///
/// A new player is paused on the first item's first frame. The next item's first pictures are decoded before an item
/// ends, so there is no gap between items. The list may be changed at any time. Properties are observable, and have
/// their new values before an event reports the change. Changes to the current time are not reported: read
/// ``currentTime`` or bind a ``ProgressTracker``.
///
/// Thread safety: safe from any thread. No call waits for a decoder. Decoding runs on separate threads, at most one for
/// each attached decoder. One more thread follows the clock for all players of a ``Timebase``.
///
/// Memory: the pictures decoded ahead for the current item and the next one (``Player/Options/bufferByteLimit`` for
/// each), the pictures kept for playing backward (``Player/Options/backwardByteLimit``), and the decoders' pictures.
/// With shared ``DecodingResources``, all of these count against the shared limit.
public final class Player: Observable, TrackedPlayer, Sendable {
    let core: PlayerCore

    /// Creates a player.
    ///
    /// - Parameters:
    ///   - items: the items to play, in order. If several items have the same identity, all but the first are ignored.
    ///   - options: the options of the player.
    ///   - timebase: the player's clock. Only players with the same timebase can be synchronized (``PlayerGroup``).
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
    /// The current item; `nil` if the list is empty or ended because its last item was removed. Observable.
    public var currentItem: PlayerItem? { observed(\.currentItem) { $0.currentItem } }
    /// Whether enough pictures are decoded ahead to play without stalling. Observable.
    public var isLikelyToKeepUp: Bool { observed(\.isLikelyToKeepUp) { $0.isLikelyToKeepUp } }
    /// The reason why playback cannot continue; `nil` while it can. Observable.
    public var error: ScrubError? { observed(\.error) { $0.error } }

    /// The playback rate in seconds of the medium per second of the clock. Initially 1. At rates below 0, the player
    /// plays backward; at 0, its position does not change. Observable.
    public var rate: Rational {
        get { observed(\.rate) { $0.rate } }
        set {
            core.perform { state, now in
                state.machine.setRate(newValue, at: now)
                state.refreshUpcoming()
            }
        }
    }

    /// Whether optional trackers follow their items (``ItemTracker``). Default true. The value does not change when
    /// another item becomes current. When it is set to true, the current item's trackers receive the current properties
    /// and the measurements made so far. Observable.
    public var isTrackingEnabled: Bool {
        get { observed(\.isTrackingEnabled) { $0.isTrackingEnabled } }
        set { core.perform { state, _ in state.isTrackingEnabled = newValue } }
    }

    /// Whether the player is set to play, even if playback is currently prevented, for example because the item is
    /// still loading.
    public var isPlaying: Bool { core.state.withLock { $0.machine.wantsToPlay && !$0.machine.hasEnded } }

    /// The duration of the current item's pictures that are decoded ahead, in seconds.
    public var bufferedDuration: Rational {
        let now = core.timebase.nanoseconds
        return core.state.withLock { $0.machine.situation(at: now).bufferedTime.seconds }
    }

    /// The exact current time, in seconds after the current item's first frame. It is within the time span of the frame
    /// on screen.
    public var currentTime: Rational { position.time }
    /// The number of the frame that is on screen; `nil` before the first one.
    public var currentFrameNumber: Int? { position.frame }
    /// The current item, time and frame, read at the same moment.
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
    /// The log of what playback cost: seeks, stalls, dropped frames and decoders.
    public var accessLog: AccessLog { core.log }
    /// The timebase of the player.
    public var timebase: Timebase { core.timebase }

    /// Returns events of the given kinds, until the player is released. Each caller has a separate stream, which does
    /// not retain the player.
    public func events(_ kinds: Player.Event.Kinds = .all) -> Player.Events { core.hub.stream(kinds) }

    /// Calls `body` for each event of the given kinds, until the observation ends or the player is released. The calls
    /// are made on any thread, without holding locks.
    public func observe(
        _ kinds: Player.Event.Kinds = .all, _ body: @escaping @Sendable (Player.Event) -> Void
    ) -> Player.Observation { core.hub.observe(kinds, body) }

    // MARK: Transport

    /// Starts playback, from the beginning if it has ended. If the item is not loaded yet, playback starts as soon as
    /// it is.
    ///
    /// If playback ended because no item could be played, all items are tried again.
    public func play() { core.perform { state, now in state.play(at: now) } }

    /// Pauses on the frame that is on screen.
    public func pause() { core.perform { state, now in state.machine.pause(at: now) } }

    /// Pauses if the player is playing. Otherwise, starts playback like ``play()``.
    public func togglePlayPause() {
        core.perform { state, now in
            if state.machine.wantsToPlay, !state.machine.hasEnded {
                state.machine.pause(at: now)
            } else {
                state.play(at: now)
            }
        }
    }

    /// Seeks to the exact frame at a position of the current item. If the player is playing, it continues from there.
    /// If playback has ended, the player shows the frame and stays paused until ``play()`` is called. A position
    /// outside the item is clamped to the item's start or end.
    ///
    /// - Returns: the outcome of the seek, which may be superseded by a newer one.
    /// - Throws: ``ScrubError`` with `usage` if the item is loaded and does not have a frame with the given number.
    ///   `CancellationError` if the task was cancelled. Cancellation ends the wait but not the seek.
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
                // The task may have been cancelled before the seek's number was known.
                if Task.isCancelled { leaveSeek(number) }
            }
        } onCancel: {
            if let number = begun.withLock({ $0 }) { leaveSeek(number) }
        }
        try Task.checkCancellation()
        return outcome
    }

    /// Stops waiting for a seek. The seek itself continues.
    private func leaveSeek(_ number: Int) {
        core.perform { state, _ in
            guard let waiting = state.seeks.removeValue(forKey: number) else { return }
            state.jobs.append(.endSeeks([(waiting, .abandoned)]))
        }
    }

    /// Starts a seek to a position of the current item, like ``seek(to:)``, but does not wait for it.
    ///
    /// - Returns: the seek's number. ``landedSeekNumber`` is at least this number once the frame of this seek or of a
    ///   newer one is on screen.
    @discardableResult
    public func startSeek(to position: FramePosition) -> Int {
        begin { state, number, now in state.seek(to: position, number: number, at: now) }
    }

    /// The number of the latest seek that has put its frame on screen.
    public var landedSeekNumber: Int { core.state.withLock { $0.landedSeek } }

    /// Steps forward by a number of frames within the item, or backward if the number is negative.
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

    /// Begins scrubbing, for example when a user starts to drag a slider. Playback is stopped until ``endScrubbing()``.
    /// A new seek waits until the seek in progress shows its frame, and replaces any other waiting seek. Reaching the
    /// end does not end playback.
    public func beginScrubbing() { core.perform { state, now in state.machine.beginScrubbing(at: now) } }

    /// Ends scrubbing. Playback resumes if the player was playing before.
    public func endScrubbing() { core.perform { state, now in state.machine.endScrubbing(at: now) } }

    /// Frees memory in response to memory pressure. Until the level is `.normal` again, the player decodes only two
    /// pictures of the current item ahead, and none of later items. If it is paused, it closes its decoders. Other
    /// pictures that were decoded ahead are dropped immediately if the player is paused or the level is `.critical`;
    /// otherwise, they are released as they are shown. The picture on screen stays. Dropped pictures are decoded again
    /// later, so no frame is lost.
    public func respond(to level: MemoryPressureMonitor.Level) { core.respond(to: level) }

    // MARK: Presenting

    /// Whether a presenter is showing the frames.
    public var hasPresenter: Bool { core.board.owner != nil }

    /// Makes a presenter the active one, which shows the player's frames.
    ///
    /// The player does not retain the presenter. If no other object retains it, it is released immediately, and no
    /// frames are shown. ``Player/Event/presenterChanged(hasPresenter:generation:)`` reports this.
    public func attach(_ presenter: Presenter) { core.claim(presenter.slot) }

    /// Transfers presentation to another presenter in a transition that can be cancelled.
    public func beginTransition(to presenter: Presenter) -> Presenter.Transition {
        Presenter.Transition(core, core.beginTransition(to: presenter.slot))
    }
}

extension Player {
    /// Counts of a player's presented frames, dropped frames, stalls and replaced seeks, and its maximum delays.
    public struct Counters: Sendable, Hashable {
        /// Presented frames.
        public let presentedCount: Int
        /// Frames whose kept preview was shown on time because the exact picture was late.
        public let previewCount: Int
        /// Frames that were not shown, by reason. A frame whose preview was shown is included if its exact picture
        /// arrived too late.
        public let dropped: Player.DroppedFrames
        /// Frames that were due while there was no presenter.
        public let unseenCount: Int
        /// The number of times that playback had to wait for pictures.
        public let stallCount: Int
        /// Seeks that were replaced by a newer seek before they started.
        public let coalescedSeekCount: Int
        /// The maximum delay of a presented frame.
        public let maximumLateness: Duration
        /// The maximum time between the end of an item and the next item's first frame.
        public let maximumTransitionTime: Duration

        init(_ counters: PlayerMachine<PlayerItem.ID, FramePicture>.Counters) {
            (presentedCount, previewCount) = (counters.presented, counters.previews)
            dropped = Player.DroppedFrames(
                lateCount: counters.late, skippedBeforeDecodingCount: counters.skippedBeforeDecoding,
                jumpedCount: counters.jumped)
            (unseenCount, stallCount, coalescedSeekCount) = (counters.unseen, counters.stalls, counters.coalescedSeeks)
            maximumLateness = .nanoseconds(counters.worstLateness)
            maximumTransitionTime = .nanoseconds(counters.worstTransition)
        }
    }
}
