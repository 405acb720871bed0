public import ScrubPlayersLogic
public import ScrubMedia

/// The one player of one video, for all the screens that show it.
///
/// A feed, a detail page and a full screen that show the same film share its controller: one decoder at most, one
/// cache, one playhead. Each screen has a ``Presenter``, and the one that is looked at claims it. So a film goes on
/// from screen to screen without a frame lost or shown twice. ``PlayerControllerManager`` owns controllers; screens
/// hold them weakly or ask for them again.
///
/// Thread safety: safe from any thread. Memory: within the manager's budget.
public final class PlayerController: Sendable {
    /// Which video it plays.
    public let identifier: PlayerMedia.Identifier
    /// The medium that it plays.
    public let media: PlayerMedia
    /// Its player, with one item: transport, events and the access log.
    public let player: Player
    private let item: PlayerItem

    /// Makes a controller that is not shared; usually ``PlayerControllerManager/controller(for:)`` does.
    ///
    /// - Throws: ``ScrubError`` with `usage` for options that cannot be meant, `inputOutput` when the system has no
    ///   thread left.
    public init(
        _ media: PlayerMedia, options: Player.Options = .init(), timebase: Timebase = .realTime,
        resources: PlaybackResources = .shared
    ) throws(ScrubError) {
        (identifier, self.media) = (media.identifier, media)
        item = PlayerItem(media)
        player = try Player([item], options: options, timebase: timebase, resources: resources)
    }

    /// Plays, from the beginning after the end.
    public func play() { player.play() }
    /// Stops on the frame that is on screen.
    public func pause() { player.pause() }
    /// Goes to a position, exactly.
    @discardableResult
    public func seek(to position: FramePosition) async throws -> SeekOutcome { try await player.seek(to: position) }
    /// A Boolean value that indicates whether the video plays again and again.
    public var isLooping: Bool {
        get { player.repeatMode == .one }
        set { player.repeatMode = newValue ? .one : .off }
    }

    /// Makes a screen's presenter the active one. The previous presenter resigns in the same step. Keep a reference to
    /// the presenter, because the controller does not.
    public func claim(_ presenter: Presenter) { player.claim(presenter) }
    /// Lets a presenter take over for a transition that may be called off.
    public func beginTransition(to presenter: Presenter) -> Presenter.Transition {
        player.beginTransition(to: presenter)
    }
    /// Whether a presenter shows the frames.
    public var hasPresenter: Bool { player.hasPresenter }

    /// A Boolean value that indicates whether the controller is in use: it plays, or a presenter shows its frames.
    public var isInUse: Bool { player.isPlaying || hasPresenter }

    /// Events of some kinds, until the controller is gone.
    public func events(_ kinds: Player.Event.Kinds = .all) -> Player.Events { player.events(kinds) }
}
