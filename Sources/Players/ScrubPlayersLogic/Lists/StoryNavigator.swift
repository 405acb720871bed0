public import ScrubBase

/// The taps and holds of a story: items that follow one another full screen, with a bar of segments on top.
///
/// A tap on the right goes on, one on the left goes back, and at the first item to its beginning. A finger that stays
/// pauses, and lets go on when it is lifted. It asks for ``Action``s, which ``Playlist/perform(_:)`` and a player carry
/// out.
///
/// Thread safety: a value; no clock, no timer.
public struct StoryNavigator: Sendable, Hashable {
    /// An action that is to be done.
    public enum Action: Sendable, Hashable {
        /// The item before this one begins.
        case previous
        /// The item after this one begins.
        case next
        /// This item begins again.
        case restart
        /// The item was shown to its end: the list tells the next one, which may be the same again.
        case advance
        /// A person went on from the last item: the story is over.
        case finish
        /// Playback stops where it is.
        case pause
        /// Playback goes on.
        case resume
    }

    /// The part of the width, from the edge where reading begins, where a tap goes back; the rest goes on.
    public var backShare: Rational
    /// Whether reading begins on the right: then back is there.
    public var isRightToLeft: Bool
    /// Whether a finger holds the story.
    public private(set) var isHeld = false
    private var owesResume = false
    private var owesAdvance = false

    /// Makes a navigator.
    ///
    /// - Parameters:
    ///   - backShare: the part of the width where a tap goes back, cut to 0...1.
    ///   - isRightToLeft: whether reading begins on the right.
    public init(backShare: Rational = Rational(1, 2), isRightToLeft: Bool = false) {
        self.backShare = min(max(backShare, .zero), .one)
        self.isRightToLeft = isRightToLeft
    }

    /// A person taps.
    ///
    /// A place right on the border goes on. Beside the view counts as its edge.
    ///
    /// - Parameters:
    ///   - x: points from the left edge.
    ///   - width: the view's points.
    ///   - hasPrevious: whether there is an item to go back to.
    ///   - hasNext: whether there is one to go on with.
    /// - Returns: `nil` for a view without extent, and while a finger holds the story.
    public func tap(x: Rational, width: Rational, hasPrevious: Bool, hasNext: Bool) -> Action? {
        guard width > .zero, !isHeld else { return nil }
        let x = min(max(x, .zero), width)
        let left = isRightToLeft ? width.subtracting(x) : x
        let goesBack: Bool
        if let share = left?.divided(by: width) {
            goesBack = share < backShare
        } else {
            // Too unwieldy for 64 bits: in 1/1024 of a point.
            let (x, width) = (x.scaledDown(1024), width.scaledDown(1024))
            goesBack = (isRightToLeft ? width - x : x) << 20 < width * backShare.scaledDown(1 << 20)
        }
        if goesBack { return hasPrevious ? .previous : .restart }
        return hasNext ? .next : .finish
    }

    /// A person taps, over the items of a list.
    ///
    /// - Parameters:
    ///   - x: points from the left edge.
    ///   - width: the view's points.
    ///   - list: tells the items before and after.
    /// - Returns: `nil` for a view without extent, while a finger holds the story, and when the list has no items.
    ///
    /// A number that is written out, such as `width: 320`, takes the one with `Double`.
    @_disfavoredOverload
    public func tap<Item, Place>(x: Rational, width: Rational, in list: Playlist<Item, Place>) -> Action? {
        guard list.currentItem != nil || list.previous != nil || list.upcoming(.skip) != nil else { return nil }
        let action = tap(
            x: x, width: width, hasPrevious: list.previous != nil, hasNext: list.upcoming(.skip)?.to != nil)
        return action == .restart && list.currentItem == nil ? nil : action
    }

    /// A person taps, at a place that a recogniser reports in `Double`.
    ///
    /// - Parameters:
    ///   - x: points from the left edge.
    ///   - width: the view's points.
    ///   - list: tells the items before and after.
    /// - Returns: as the other one; `nil` also for values that are not numbers.
    public func tap<Item, Place>(x: Double, width: Double, in list: Playlist<Item, Place>) -> Action? {
        guard let x = Rational(approximating: x), let width = Rational(approximating: width) else { return nil }
        return tap(x: x, width: width, in: list)
    }

    /// A finger stays on the picture. A second one changes nothing.
    ///
    /// - Parameter isPlaying: whether the player plays.
    /// - Returns: a pause when it does.
    public mutating func holdBegan(isPlaying: Bool) -> Action? {
        guard !isHeld else { return nil }
        (isHeld, owesResume) = (true, isPlaying)
        return isPlaying ? .pause : nil
    }

    /// The finger is lifted: playback goes on if the hold stopped it. It is not a tap.
    ///
    /// - Returns: the actions, in this order; empty when there was no hold.
    public mutating func holdEnded() -> [Action] {
        defer { (isHeld, owesResume, owesAdvance) = (false, false, false) }
        return (owesAdvance ? [.advance] : []) + (owesResume ? [.resume] : [])
    }

    /// The system took the finger away: as if it was lifted, so that a story never stays paused by a finger that is
    /// gone.
    public mutating func holdCancelled() -> [Action] { holdEnded() }

    /// The item was shown to its end.
    ///
    /// - Returns: an advance; while a finger holds the story it waits until that is lifted.
    public mutating func itemEnded() -> Action? {
        if isHeld { owesAdvance = true }
        return isHeld ? nil : .advance
    }
}

extension StoryNavigator {
    /// A segment of the bar on top of a story.
    ///
    /// Thread safety: a value.
    public struct Segment<ID: Hashable & Sendable>: Sendable, Hashable {
        /// The item that it stands for.
        public let id: ID
        /// The filled part, in 0...1. An item that is shown several times in a row fills its segment once, over all of
        /// them.
        public let fraction: Rational
        /// Whether its item is the current one.
        public let isCurrent: Bool
        /// The number of times its item has begun.
        public let timesShown: Int
    }
}

extension Playlist {
    /// Carries out a ``StoryNavigator``'s action on a list; a pause, a resume and a finish are for others.
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

    /// Returns the segments of the bar on top: those before the current item are full, those after it empty. While
    /// something interrupts they are those of the interrupting items.
    ///
    /// - Parameter progress: the shown part of the current item, cut to 0...1.
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
    /// Returns the part that is over of all the times in a row. Times beyond the repeat count, by the repeat mode, fill
    /// it again.
    fileprivate func share(of pass: Int, _ progress: Rational) -> Rational {
        let progress = min(max(progress, .zero), .one)
        let done = Int64(max(pass - 1, 0) % repeatCount)
        let whole = progress.adding(Rational(done)) ?? Rational(done)
        return whole.divided(by: Rational(Int64(repeatCount))) ?? .zero
    }
}
