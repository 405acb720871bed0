public import ScrubBase

/// The logic for taps and holds in a story: a sequence of full-screen items with a segmented progress bar at the top.
///
/// A tap on the right goes forward. A tap on the left goes back or, at the first item, restarts the item. Holding a
/// finger on the story pauses playback, and lifting the finger resumes it. The navigator returns ``Action``s, which
/// ``Playlist/perform(_:)`` and a player carry out.
///
/// Thread safety: a value type without a clock or timer.
public struct StoryNavigator: Sendable, Hashable {
    /// An action to carry out.
    public enum Action: Sendable, Hashable {
        /// The previous item begins.
        case previous
        /// The next item begins.
        case next
        /// The current item begins again.
        case restart
        /// The item was shown to its end. The list determines the next one, which may be the same.
        case advance
        /// A user went forward from the last item. The story ends.
        case finish
        /// Playback pauses.
        case pause
        /// Playback resumes.
        case resume
    }

    /// The fraction of the width, measured from the leading edge, within which a tap goes back. Taps elsewhere go
    /// forward.
    public var backFraction: Rational
    /// Whether the layout is right-to-left. If it is, the area for going back is on the right.
    public var isRightToLeft: Bool
    /// Whether a finger is holding the story.
    public private(set) var isHeld = false
    private var owesResume = false
    private var owesAdvance = false

    /// Creates a navigator.
    ///
    /// - Parameters:
    ///   - backFraction: the fraction of the width within which a tap goes back, clamped to 0...1.
    ///   - isRightToLeft: whether the layout is right-to-left.
    public init(backFraction: Rational = Rational(1, 2), isRightToLeft: Bool = false) {
        self.backFraction = min(max(backFraction, .zero), .one)
        self.isRightToLeft = isRightToLeft
    }

    /// Handles a tap.
    ///
    /// A tap exactly on the border goes forward. A tap outside the view counts as a tap on its edge.
    ///
    /// - Parameters:
    ///   - x: the distance from the left edge in points.
    ///   - width: the view's width in points.
    ///   - hasPrevious: whether there is a previous item.
    ///   - hasNext: whether there is a next item.
    /// - Returns: the action; `nil` if the view has no width, or while a finger is holding the story.
    public func tap(x: Rational, width: Rational, hasPrevious: Bool, hasNext: Bool) -> Action? {
        guard width > .zero, !isHeld else { return nil }
        let x = min(max(x, .zero), width)
        let left = isRightToLeft ? width.subtracting(x) : x
        let goesBack: Bool
        if let share = left?.divided(by: width) {
            goesBack = share < backFraction
        } else {
            // Does not fit in 64 bits: use 1/1024 of a point.
            let (x, width) = (x.scaledDown(1024), width.scaledDown(1024))
            goesBack = (isRightToLeft ? width - x : x) << 20 < width * backFraction.scaledDown(1 << 20)
        }
        if goesBack { return hasPrevious ? .previous : .restart }
        return hasNext ? .next : .finish
    }

    /// Handles a tap in a story that shows a list's items.
    ///
    /// Literals such as `width: 320` select the overload that takes `Double`.
    ///
    /// - Parameters:
    ///   - x: the distance from the left edge in points.
    ///   - width: the view's width in points.
    ///   - list: the list that provides the previous and next items.
    /// - Returns: the action; `nil` if the view has no width, while a finger is holding the story, or if the list has
    ///   no items.
    @_disfavoredOverload
    public func tap<Item, Place>(x: Rational, width: Rational, in list: Playlist<Item, Place>) -> Action? {
        guard list.currentItem != nil || list.previous != nil || list.nextTransition(for: .skip) != nil else {
            return nil
        }
        let action = tap(
            x: x, width: width, hasPrevious: list.previous != nil, hasNext: list.nextTransition(for: .skip)?.to != nil)
        return action == .restart && list.currentItem == nil ? nil : action
    }

    /// Handles a tap at a position that a gesture recognizer reports as `Double`.
    ///
    /// - Parameters:
    ///   - x: the distance from the left edge in points.
    ///   - width: the view's width in points.
    ///   - list: the list that provides the previous and next items.
    /// - Returns: the action, as from the overload that takes `Rational`; also `nil` if a value cannot be converted to
    ///   a `Rational`.
    public func tap<Item, Place>(x: Double, width: Double, in list: Playlist<Item, Place>) -> Action? {
        guard let x = Rational(approximating: x), let width = Rational(approximating: width) else { return nil }
        return tap(x: x, width: width, in: list)
    }

    /// Handles the start of a hold. A second finger has no effect.
    ///
    /// - Parameter isPlaying: whether the player is playing.
    /// - Returns: ``Action/pause`` if the player is playing; otherwise `nil`.
    public mutating func holdBegan(isPlaying: Bool) -> Action? {
        guard !isHeld else { return nil }
        (isHeld, owesResume) = (true, isPlaying)
        return isPlaying ? .pause : nil
    }

    /// Handles the end of a hold: playback resumes if the hold paused it. Lifting the finger does not count as a tap.
    ///
    /// - Returns: the actions, in order; empty if there was no hold.
    public mutating func holdEnded() -> [Action] {
        defer { (isHeld, owesResume, owesAdvance) = (false, false, false) }
        return (owesAdvance ? [.advance] : []) + (owesResume ? [.resume] : [])
    }

    /// Handles a hold that the system cancelled, as if the finger had been lifted, so that the story does not stay
    /// paused.
    public mutating func holdCancelled() -> [Action] { holdEnded() }

    /// Handles the end of an item.
    ///
    /// - Returns: ``Action/advance``; `nil` while a finger is holding the story. In that case, ``holdEnded()`` returns
    ///   the action.
    public mutating func itemEnded() -> Action? {
        if isHeld { owesAdvance = true }
        return isHeld ? nil : .advance
    }
}

extension StoryNavigator {
    /// A segment of the progress bar at the top of a story.
    ///
    /// Thread safety: a value type.
    public struct Segment<ID: Hashable & Sendable>: Sendable, Hashable {
        /// The segment's item.
        public let id: ID
        /// The filled fraction, in 0...1. If an item plays several times in a row, its segment fills gradually over all
        /// of the repeats.
        public let fraction: Rational
        /// Whether the segment's item is the current one.
        public let isCurrent: Bool
        /// The number of times that the segment's item has begun.
        public let timesShown: Int
    }
}

extension Playlist {
    /// Carries out a ``StoryNavigator``'s action on a list. `pause`, `resume` and `finish` have no effect on a list.
    ///
    /// - Returns: the transition; `nil` if nothing changed.
    @discardableResult
    public mutating func perform(_ action: StoryNavigator.Action) -> Transition? {
        switch action {
        case .previous: advance(.skip, direction: .backward)
        case .next: advance(.skip)
        case .restart: currentItem.flatMap { seek(to: $0.id) }
        case .advance: advance(.automatic)
        case .finish, .pause, .resume: nil
        }
    }

    /// Returns the segments of the progress bar. Segments before the current item are full, and segments after it are
    /// empty. During an interruption, the bar has one segment for each interrupting item.
    ///
    /// - Parameter progress: the fraction of the current item that has been shown, clamped to 0...1.
    public func segments(progress: Rational) -> [StoryNavigator.Segment<Item.ID>] {
        let level = top
        return level.entries.enumerated().map { index, entry in
            let isCurrent = level.currentIndex == index
            var fraction: Rational = index < level.position ? .one : .zero
            if isCurrent { fraction = level.isEnded ? .one : entry.share(of: level.pass, progress) }
            return StoryNavigator.Segment(
                id: entry.id, fraction: fraction, isCurrent: isCurrent, timesShown: entry.timesShown)
        }
    }
}

extension PlaylistLevel.Entry {
    /// Returns the completed fraction of all repeats. Repeats beyond the repeat count, caused by the repeat mode, fill
    /// it again.
    fileprivate func share(of pass: Int, _ progress: Rational) -> Rational {
        let progress = min(max(progress, .zero), .one)
        let done = Int64(max(pass - 1, 0) % repeatCount)
        let whole = progress.adding(Rational(done)) ?? Rational(done)
        return whole.divided(by: Rational(Int64(repeatCount))) ?? .zero
    }
}
