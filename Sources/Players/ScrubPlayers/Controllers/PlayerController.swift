public import ScrubPlayersLogic
public import ScrubMedia

/// The player of one video, shared by all screens that show it.
///
/// A feed, a detail page and a full-screen view that show the same video share its controller, so the video has at most
/// one decoder, one cache and one playhead. Each screen has a ``Presenter``, and the visible screen's presenter is
/// attached to the controller. A video therefore continues from screen to screen without losing or repeating a frame.
/// ``PlayerControllerManager`` owns the controllers. Screens hold weak references to them, or request them again.
///
/// Thread safety: safe from any thread. Memory: within the manager's budget.
public final class PlayerController: Sendable {
    /// The identifier of the video.
    public let identifier: PlayerMedia.Identifier
    /// The medium to play.
    public let media: PlayerMedia
    /// The underlying player, with a single item. It provides the transport, the events and the access log.
    public let player: Player
    private let item: PlayerItem

    /// Creates a controller that is not shared. In most cases, use ``PlayerControllerManager/controller(for:)``
    /// instead.
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
    /// Seeks to the exact frame at a position.
    @discardableResult
    public func seek(to position: FramePosition) async throws -> SeekOutcome { try await player.seek(to: position) }
    /// Whether the video plays in a loop.
    public var isLooping: Bool {
        get { player.repeatMode == .one }
        set { player.repeatMode = newValue ? .one : .off }
    }

    /// Makes a screen's presenter the active one. The previous presenter resigns at the same time. Keep a reference to
    /// the presenter, because the controller does not retain it.
    public func attach(_ presenter: Presenter) { player.attach(presenter) }
    /// Hands presentation over to another presenter, in a transition that may be cancelled.
    public func beginTransition(to presenter: Presenter) -> Presenter.Transition {
        player.beginTransition(to: presenter)
    }
    /// Whether a presenter is showing the frames.
    public var hasPresenter: Bool { player.hasPresenter }

    /// Whether the controller is in use: it is playing, or a presenter is showing its frames.
    public var isInUse: Bool { player.isPlaying || hasPresenter }

    /// Returns a stream of events of the given kinds, which ends when the controller is released.
    public func events(_ kinds: Player.Event.Kinds = .all) -> Player.Events { player.events(kinds) }
}
