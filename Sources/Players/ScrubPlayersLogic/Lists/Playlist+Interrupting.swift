public import ScrubBase

/// Whether a person may leave an interruption before its end.
public enum InterruptionSkip: Sendable, Hashable {
    /// At any time.
    case allowed
    /// Skips if the current item was shown up to that many seconds after its first frame; each item counts from its own
    /// first frame.
    case after(Rational)
    /// Not at all.
    case forbidden

    /// Whether the interruption may be left at a time of its current item, in seconds after the first frame.
    public func isAllowed(at time: Rational) -> Bool {
        switch self {
        case .allowed: true
        case .after(let seconds): time >= seconds
        case .forbidden: false
        }
    }
}

extension Playlist {
    /// Shows other items now, and goes on with the current one where it was when they are over.
    ///
    /// Interruptions can be interrupted too. A list that has ended has ended again afterwards, unless something was put
    /// behind its end: that comes then. In one that has no current item yet, its first one begins.
    ///
    /// - Parameters:
    ///   - items: refused if empty, if one of them already exists or two have the same identity.
    ///   - place: the place at which the current item goes on, given back in ``PlaylistTransition/place``. Not kept if
    ///     no item is current or the list has ended.
    ///   - skip: whether a person may leave it before its end. The list keeps it for its owner (``interruptionSkip``).
    @discardableResult
    public mutating func interrupt(
        with items: [Item], returningTo place: Place, skip: InterruptionSkip = .allowed
    ) -> Edit {
        guard !items.isEmpty, let entries = newEntries(items) else { return .refused }
        let from = top.current?.id
        if from != nil && !isEnded { top.place = place }
        levels.append(Level(entries: entries))
        top.skip = skip
        top.begin(at: 0)
        return Edit(Transition(from: from, to: top.current?.id, reason: .automatic, place: nil))
    }

    /// Whether a person may leave the innermost interruption before its end; `nil` when nothing interrupts.
    public var interruptionSkip: InterruptionSkip? { isInterrupted ? top.skip : nil }

    /// Ends the innermost interruption, and goes on with the interrupted item.
    ///
    /// - Returns: the change; `nil` if nothing interrupts.
    @discardableResult
    public mutating func skipInterruption() -> Transition? {
        guard isInterrupted else { return nil }
        return take(stepBelow(levels.count - 1, .forward), because: .skip)
    }
}
