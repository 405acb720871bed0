public import Observation
public import ScrubPlayersLogic
public import ScrubMedia

/// Plays videos, without a screen: frames come at their time, and a presenter shows them.
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
/// so nothing is blank between them; the list may be changed at any time. Properties are observable, and are set before
/// an event reports them; the time is not published: ask ``currentTime`` or bind a ``ProgressTracker``.
///
/// Thread safety: safe from any thread; nothing waits for a decoder. Decoding has threads of its own, at most as many
/// as decoders are attached. One thread follows the clock for all players of a ``Timebase``.
///
/// Memory: for the current item and the next one each ``Player/Options/bufferByteLimit`` of pictures, and a decoder's
/// own. With ``PlaybackResources/budget`` all of it comes out of that.
public final class Player: Observable, TrackedPlayer, Sendable {
    let core: PlayerCore

    /// Makes a player.
    ///
    /// - Parameters:
    ///   - items: the items to play, in order; items with an identity that came before are left out.
    ///   - options: the options of the player.
    ///   - timebase: the player's clock. Players of one timebase can be in step (``PlayerGroup``).
    ///   - resources: the decoders and the memory that it shares with others.
    /// - Throws: ``ScrubError`` with `usage` for options that cannot be meant, `inputOutput` when the system has no
    ///   thread left.
    public convenience init(
        _ items: [PlayerItem] = [], options: Player.Options = .init(), timebase: Timebase = .realTime,
        resources: PlaybackResources = .shared
    ) throws(ScrubError) {
        try self.init(items, options: options, timebase: timebase, resources: resources, laneMaker: .decoding)
    }

    package init(
        _ items: [PlayerItem], options: Player.Options, timebase: Timebase, resources: PlaybackResources,
        laneMaker: PlayerLaneMaker
    ) throws(ScrubError) {
        core = try PlayerCore(
            items, options: options, timebase: timebase, resources: resources, laneMaker: laneMaker)
        core.face.setOwner(self)
    }

    deinit { core.close() }

    private func observed<Value>(_ path: KeyPath<Player, Value>, _ value: (PlayerFace.Values) -> Value) -> Value {
        core.face.registrar.access(self, keyPath: path)
        return core.state.withLock { value($0.shown) }
    }

    // MARK: What it does

    /// The present state. Observable.
    public var state: PlaybackState { observed(\.state) { $0.state } }
    /// The list, without interrupting items. Observable.
    public var items: [PlayerItem] { observed(\.items) { $0.items } }
    /// The item whose turn it is; `nil` for an empty list, and for one that is over because its last item was taken
    /// out. Observable.
    public var currentItem: PlayerItem? { observed(\.currentItem) { $0.currentItem } }
    /// Whether so much is decoded ahead that playing should not stall. Observable.
    public var isLikelyToKeepUp: Bool { observed(\.isLikelyToKeepUp) { $0.isLikelyToKeepUp } }
    /// Why it cannot go on; `nil` while it can. Observable.
    public var error: ScrubError? { observed(\.error) { $0.error } }

    /// Seconds of the medium in a second of the clock, 1 at first: below 0 it plays backward, at 0 it stands still.
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

    /// Whether optional trackers follow items (``ItemTracker``), default true. A tracker that is switched off stays off
    /// over items. When it is switched on, the current item's trackers get the present properties and the measured
    /// values. Observable.
    public var isTrackingEnabled: Bool {
        get { observed(\.isTrackingEnabled) { $0.isTrackingEnabled } }
        set { core.perform { state, _ in state.isTrackingEnabled = newValue } }
    }

    /// A Boolean value that indicates whether the player is told to play, whatever holds it up.
    public var isPlaying: Bool { core.state.withLock { $0.machine.wantsToPlay && !$0.machine.hasEnded } }

    /// Seconds of the current item that are decoded ahead.
    public var bufferedDuration: Rational {
        let now = core.timebase.nanoseconds
        return core.state.withLock { $0.machine.situation(at: now).bufferedTime.seconds }
    }

    /// Seconds after the current item's first frame, exactly; within the frame that is on screen.
    public var currentTime: Rational { position.time }
    /// The number of the frame that is on screen; `nil` before the first one.
    public var currentFrame: Int? { position.frame }
    /// Item, time and frame at one moment.
    public var position: Player.Position {
        let now = core.timebase.nanoseconds
        return core.state.withLock { $0.position(at: now) }
    }
    /// The current item's duration in seconds; `nil` until it is loaded.
    public var duration: Rational? {
        core.state.withLock { state in state.playlist.currentItem.flatMap { state.loaded[$0.id]?.asset.duration } }
    }
    /// Counts of presented and left out frames so far.
    public var counters: Player.Counters { core.state.withLock { Player.Counters($0.machine.counters) } }
    /// The cost of seeks, stalls and drops so far.
    public var accessLog: AccessLog { core.log }
    /// The timebase that it uses.
    public var timebase: Timebase { core.timebase }

    /// Events of some kinds, until the player is gone. Each caller has a stream of its own, which does not keep the
    /// player.
    public func events(_ kinds: Player.Event.Kinds = .all) -> Player.Events { core.hub.stream(kinds) }

    /// Calls `body` for events of some kinds, on any thread and outside of all locks, until the observation is released
    /// or the player is gone.
    public func observe(
        _ kinds: Player.Event.Kinds = .all, _ body: @escaping @Sendable (Player.Event) -> Void
    ) -> Player.Observation { core.hub.observe(kinds, body) }

    // MARK: Transport

    /// Plays, from the beginning after the end. Before anything is loaded it plays as soon as that is.
    ///
    /// If no item could be played, all have another try.
    public func play() { core.perform { state, now in state.play(at: now) } }

    /// Stops on the frame that is on screen.
    public func pause() { core.perform { state, now in state.machine.pause(at: now) } }

    /// Pauses when it plays, and plays otherwise.
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
    /// the frame and stays paused until ``play()``. A position outside the item is its nearest end.
    ///
    /// - Returns: the outcome of the seek. A newer seek replaces an older one.
    /// - Throws: ``ScrubError`` with `usage` for a frame number that does not exist in an item that is loaded.
    ///   `CancellationError` if the task was cancelled. This ends the wait but not the seek.
    @discardableResult
    public func seek(to position: FramePosition) async throws -> SeekOutcome {
        try Task.checkCancellation()
        _ = try core.state.withLock { state throws(ScrubError) in
            let asset = state.playlist.currentItem.flatMap { state.loaded[$0.id]?.asset }
            return try asset?.frame(at: position, clamps: true).frame.number ?? 0
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

    /// Waits for a seek no longer; the player goes there all the same.
    private func leaveSeek(_ number: Int) {
        core.perform { state, _ in
            guard let waiting = state.seeks.removeValue(forKey: number) else { return }
            state.jobs.append(.endSeeks([(waiting, .abandoned)]))
        }
    }

    /// Goes to a position of the current item without waiting for it: as ``seek(to:)``.
    ///
    /// - Returns: the seek's number: ``landedSeek`` reaches it once the frame, or a newer one, is on screen.
    @discardableResult
    public func startSeek(to position: FramePosition) -> Int {
        begin { state, number, now in state.seek(to: position, number: number, at: now) }
    }

    /// The number of the last seek whose frame is on screen.
    public var landedSeek: Int { core.state.withLock { $0.landedSeek } }

    /// Goes some frames on, or back, and stays within the item.
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

    /// A person begins to drag: the clock no longer presents frames, seeks come one after the other, and the end is not
    /// the end.
    public func beginScrubbing() { core.perform { state, now in state.machine.beginScrubbing(at: now) } }

    /// The person let go: it plays on if it was playing.
    public func endScrubbing() { core.perform { state, now in state.machine.endScrubbing(at: now) } }

    /// Makes room because memory is scarce. It decodes two pictures of the current item ahead, and none of later items.
    /// While it stands still its decoders are closed. Pictures ahead beyond that go at once while it stands and at
    /// `.critical`, and else as they are shown. `.normal` ends that. The picture on screen stays, and every frame is
    /// shown.
    public func respond(to level: MemoryPressure.Level) { core.respond(to: level) }

    // MARK: Presenting

    /// Whether a presenter shows the frames.
    public var hasPresenter: Bool { core.board.owner != nil }

    /// Makes a presenter the one that shows the player's frames.
    ///
    /// The player does not retain the presenter. If nothing else does, it is released at once, and no frames are shown
    /// (``Player/Event/presenterChanged(hasPresenter:generation:)`` reports it).
    public func claim(_ presenter: Presenter) { core.claim(presenter.slot) }

    /// Lets a presenter take over for a transition that may be called off.
    public func beginTransition(to presenter: Presenter) -> Presenter.Transition {
        Presenter.Transition(core, core.beginTransition(to: presenter.slot))
    }
}

extension Player {
    /// Counts of the frames that a player presented and left out.
    public struct Counters: Sendable, Hashable {
        /// Frames that were presented.
        public let presented: Int
        /// Frames whose kept preview was shown at their time, because the exact picture was late.
        public let previews: Int
        /// The frames left out, by reason. Those whose preview was shown are among them if their pictures came later.
        public let dropped: Player.DroppedFrames
        /// Frames whose time passed while there was no presenter.
        public let unseen: Int
        /// The number of times that playing had to wait for pictures.
        public let stalls: Int
        /// Seeks that a newer one replaced before they began.
        public let coalescedSeeks: Int
        /// The latest that a frame was presented after its time, in nanoseconds.
        public let worstLateness: Int64
        /// The longest that an item's first frame came after the end of the one before, in nanoseconds.
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
