public import ScrubPlayersLogic

// Stories: a list whose items fill the screen. The user taps and holds them, and a segmented progress bar is at the
// top.
extension Player {
    /// Returns the action for a tap on the picture, which depends on the player's list.
    ///
    /// - Parameters:
    ///   - x: the distance from the left edge in points.
    ///   - width: the view's width in points.
    ///   - navigator: the object that interprets taps.
    /// - Returns: the action; `nil` if the view's width is 0, the user is holding the story, or the list is empty.
    public func storyAction(
        forTapAt x: Double, width: Double, using navigator: StoryNavigator
    ) -> StoryNavigator.Action? {
        let list = core.state.withLock { $0.playlist }
        return navigator.tap(x: x, width: width, in: list)
    }

    /// Performs an action of a ``StoryNavigator``. When the story is finished, playback pauses, and the caller decides
    /// whether to dismiss the view.
    ///
    /// - Returns: false if nothing changed.
    @discardableResult
    public func perform(_ action: StoryNavigator.Action) -> Bool {
        switch action {
        case .next: return advanceToNextItem()
        case .previous, .restart, .advance: return go { $0.perform(action) }
        case .pause, .finish: pause()
        case .resume: play()
        }
        return true
    }

    /// The segments of the progress bar: those before the current item are full, and those after it are empty.
    public var storySegments: [StoryNavigator.Segment<PlayerItem.ID>] {
        let now = timebase.nanoseconds
        return core.state.withLock { state in
            let duration = state.playlist.currentItem.flatMap { state.loaded[$0.id]?.asset.duration } ?? .zero
            let progress = duration > .zero ? state.position(at: now).time.divided(by: duration) : nil
            return state.playlist.segments(progress: progress ?? .zero)
        }
    }
}
