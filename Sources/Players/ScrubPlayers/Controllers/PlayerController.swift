public import ScrubPlayersLogic
public import ScrubMedia

/// The player of one video, shared by all screens that show it.
///
/// A feed, a detail page and a full-screen view that show the same video share its controller: at most one decoder, one
/// cache, one playhead. Each screen has a ``Presenter``, and the visible one claims the controller. A video therefore
/// continues from screen to screen without losing or repeating a frame. ``PlayerControllerManager`` owns controllers;
/// screens hold them weakly or request them again.
///
/// Thread safety: safe from any thread. Memory: within the manager's budget.
public final class PlayerController: Sendable {
    /// The identifier of the video.
    public let identifier: PlayerMedia.Identifier
    /// The medium to play.
    public let media: PlayerMedia
    /// The underlying player, with one item. It provides the transport, events and the access log.
    public let player: Player
    private let item: PlayerItem

    /// Creates a controller that is not shared. Usually, use ``PlayerControllerManager/controller(for:)`` instead.
    ///
    /// - Throws: ``ScrubError`` with `usage` for invalid options, `inputOutput` if the system cannot create a thread.
    public init(
        _ media: PlayerMedia, options: Player.Options = .init(), timebase: Timebase = .realTime,
        resources: DecodingResources = .automatic
    ) throws(ScrubError) {
        (identifier, self.media) = (media.identifier, media)
        item = PlayerItem(media)
        player = try Player([item], options: options, timebase: timebase, resources: resources)
    }

    /// Starts playback, from the beginning if it has ended.
    public func play() { player.play() }
    /// Pauses on the frame that is on screen.
    public func pause() { player.pause() }
    /// Seeks exactly to a position.
    @discardableResult
    public func seek(to position: FramePosition) async throws -> SeekOutcome { try await player.seek(to: position) }
    /// Whether the video plays in a loop.
    public var isLooping: Bool {
        get { player.repeatMode == .one }
        set { player.repeatMode = newValue ? .one : .off }
    }

    /// Makes a screen's presenter the active one. The previous presenter resigns at the same time. Keep a reference to
    /// the presenter, because the controller does not retain it.
    public func claim(_ presenter: Presenter) { player.claim(presenter) }
    /// Transfers presentation to a presenter for a transition that may be cancelled.
    public func beginTransition(to presenter: Presenter) -> Presenter.Transition {
        player.beginTransition(to: presenter)
    }
    /// Whether a presenter is showing the frames.
    public var hasPresenter: Bool { player.hasPresenter }

    /// Whether the controller is in use: it is playing, or a presenter is showing its frames.
    public var isInUse: Bool { player.isPlaying || hasPresenter }

    /// Returns events of the given kinds, until the controller is released.
    public func events(_ kinds: Player.Event.Kinds = .all) -> Player.Events { player.events(kinds) }
}
