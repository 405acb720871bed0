public import ScrubPlayersLogic

// Stories: a list whose items fill the screen, with taps, holds and a bar of segments on top.
extension Player {
    /// Returns the action that a tap on the picture asks for, over the player's list.
    ///
    /// - Parameters:
    ///   - x: points from the left edge.
    ///   - width: the view's points.
    ///   - navigator: the interpreter of taps.
    /// - Returns: `nil` for a view without extent, while a finger holds the story, and for an empty list.
    public func storyAction(
        forTapAt x: Double, width: Double, _ navigator: StoryNavigator
    ) -> StoryNavigator.Action? {
        let list = core.state.withLock { $0.playlist }
        return navigator.tap(x: x, width: width, in: list)
    }

    /// Carries out an action of a ``StoryNavigator``. A story that is over pauses; leaving it is the caller's.
    ///
    /// - Returns: false when nothing changed.
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

    /// The segments of the bar on top: those before the current item are full, those after it empty.
    public var storySegments: [StoryNavigator.Segment<PlayerItem.ID>] {
        let now = timebase.nanoseconds
        return core.state.withLock { state in
            let duration = state.playlist.currentItem.flatMap { state.loaded[$0.id]?.asset.duration } ?? .zero
            let progress = duration > .zero ? state.position(at: now).time.divided(by: duration) : nil
            return state.playlist.segments(progress: progress ?? .zero)
        }
    }
}
