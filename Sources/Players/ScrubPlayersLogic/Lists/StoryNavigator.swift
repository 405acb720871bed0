public import ScrubBase

/// The logic of taps and holds in a story: full-screen items that follow each other, with a segmented bar on top.
///
/// A tap on the right goes forward. A tap on the left goes back, or to the beginning at the first item. Holding a
/// finger pauses playback, and lifting it resumes. The navigator returns ``Action``s, which ``Playlist/perform(_:)``
/// and a player carry out.
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

    /// The fraction of the width, from the leading edge, where a tap goes back. The rest goes forward.
    public var backShare: Rational
    /// Whether the layout is right to left. The area for going back is then on the right.
    public var isRightToLeft: Bool
    /// Whether a finger is holding the story.
    public private(set) var isHeld = false
    private var owesResume = false
    private var owesAdvance = false

    /// Creates a navigator.
    ///
    /// - Parameters:
    ///   - backShare: the fraction of the width where a tap goes back, clamped to 0...1.
    ///   - isRightToLeft: whether the layout is right to left.
    public init(backShare: Rational = Rational(1, 2), isRightToLeft: Bool = false) {
        self.backShare = min(max(backShare, .zero), .one)
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
    /// - Returns: the action; `nil` for a view without a width, and while a finger holds the story.
    public func tap(x: Rational, width: Rational, hasPrevious: Bool, hasNext: Bool) -> Action? {
        guard width > .zero, !isHeld else { return nil }
        let x = min(max(x, .zero), width)
        let left = isRightToLeft ? width.subtracting(x) : x
        let goesBack: Bool
        if let share = left?.divided(by: width) {
            goesBack = share < backShare
        } else {
            // Does not fit in 64 bits: use 1/1024 of a point.
            let (x, width) = (x.scaledDown(1024), width.scaledDown(1024))
            goesBack = (isRightToLeft ? width - x : x) << 20 < width * backShare.scaledDown(1 << 20)
        }
        if goesBack { return hasPrevious ? .previous : .restart }
        return hasNext ? .next : .finish
    }

    /// Handles a tap over the items of a list.
    ///
    /// A literal such as `width: 320` uses the method with `Double`.
    ///
    /// - Parameters:
    ///   - x: the distance from the left edge in points.
    ///   - width: the view's width in points.
    ///   - list: the list that provides the previous and next items.
    /// - Returns: the action; `nil` for a view without a width, while a finger holds the story, and for a list without
    ///   items.
    @_disfavoredOverload
    public func tap<Item, Place>(x: Rational, width: Rational, in list: Playlist<Item, Place>) -> Action? {
        guard list.currentItem != nil || list.previous != nil || list.upcoming(.skip) != nil else { return nil }
        let action = tap(
            x: x, width: width, hasPrevious: list.previous != nil, hasNext: list.upcoming(.skip)?.to != nil)
        return action == .restart && list.currentItem == nil ? nil : action
    }

    /// Handles a tap at a position that a recognizer reports in `Double`.
    ///
    /// - Parameters:
    ///   - x: the distance from the left edge in points.
    ///   - width: the view's width in points.
    ///   - list: the list that provides the previous and next items.
    /// - Returns: the action, as for the method with exact values; also `nil` for values that are not numbers.
    public func tap<Item, Place>(x: Double, width: Double, in list: Playlist<Item, Place>) -> Action? {
        guard let x = Rational(approximating: x), let width = Rational(approximating: width) else { return nil }
        return tap(x: x, width: width, in: list)
    }

    /// Handles a finger that is held on the picture. A second finger has no effect.
    ///
    /// - Parameter isPlaying: whether the player is playing.
    /// - Returns: a pause if it is playing.
    public mutating func holdBegan(isPlaying: Bool) -> Action? {
        guard !isHeld else { return nil }
        (isHeld, owesResume) = (true, isPlaying)
        return isPlaying ? .pause : nil
    }

    /// Handles the end of a hold: playback resumes if the hold paused it. It does not count as a tap.
    ///
    /// - Returns: the actions, in order; empty if there was no hold.
    public mutating func holdEnded() -> [Action] {
        defer { (isHeld, owesResume, owesAdvance) = (false, false, false) }
        return (owesAdvance ? [.advance] : []) + (owesResume ? [.resume] : [])
    }

    /// Handles a hold that the system cancelled, as if the finger was lifted, so that a story never stays paused.
    public mutating func holdCancelled() -> [Action] { holdEnded() }

    /// Handles the end of an item.
    ///
    /// - Returns: an advance, which is delayed while a finger holds the story.
    public mutating func itemEnded() -> Action? {
        if isHeld { owesAdvance = true }
        return isHeld ? nil : .advance
    }
}

extension StoryNavigator {
    /// A segment of the bar on top of a story.
    ///
    /// Thread safety: a value type.
    public struct Segment<ID: Hashable & Sendable>: Sendable, Hashable {
        /// The segment's item.
        public let id: ID
        /// The filled fraction, in 0...1. An item that plays several times in a row fills its segment once over all
        /// repeats.
        public let fraction: Rational
        /// Whether its item is the current one.
        public let isCurrent: Bool
        /// The number of times that its item has begun.
        public let timesShown: Int
    }
}

extension Playlist {
    /// Carries out a ``StoryNavigator``'s action on a list. A pause, a resume and a finish have no effect on a list.
    ///
    /// - Returns: the transition.
    @discardableResult
    public mutating func perform(_ action: StoryNavigator.Action) -> Transition? {
        switch action {
        case .previous: advance(.skip, .backward)
        case .next: advance(.skip)
        case .restart: currentItem.flatMap { seek(to: $0.id) }
        case .advance: advance(.automatic)
        case .finish, .pause, .resume: nil
        }
    }

    /// Returns the segments of the bar: those before the current item are full, those after it are empty. During an
    /// interruption, they are those of the interrupting items.
    ///
    /// - Parameter progress: the shown fraction of the current item, clamped to 0...1.
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
