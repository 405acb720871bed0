public import ScrubBase

/// Whether a user may skip an interruption before its end.
public enum InterruptionSkipPolicy: Sendable, Hashable {
    /// The interruption may be skipped at any time.
    case allowed
    /// An item may be skipped once it has been shown for this many seconds, counted from its first frame.
    case after(Rational)
    /// The interruption may not be skipped.
    case forbidden

    /// Returns whether the interruption may be skipped at a time, given in seconds after the first frame of the
    /// interruption's current item.
    public func isAllowed(at time: Rational) -> Bool {
        switch self {
        case .allowed: true
        case .after(let seconds): time >= seconds
        case .forbidden: false
        }
    }
}

extension Playlist {
    /// Shows other items immediately. When they end, the current item resumes at `place`.
    ///
    /// Interruptions can be interrupted too. If the list had already ended, it ends again after the interruption. If
    /// items have been appended in the meantime, it continues with them instead. If the list has no current item yet,
    /// its first item begins after the interruption.
    ///
    /// - Parameters:
    ///   - items: the items to show. The edit is rejected if there are no items, if one of them already exists, or if
    ///     two of them have the same identity.
    ///   - place: the position at which the current item resumes, returned in ``PlaylistTransition/place``. It is
    ///     ignored if no item is current or the list has ended.
    ///   - skip: whether a user may skip the interruption. The list does not enforce this setting, but returns it in
    ///     ``interruptionSkip``.
    @discardableResult
    public mutating func interrupt(
        with items: [Item], returningTo place: Place, skip: InterruptionSkipPolicy = .allowed
    ) -> Edit {
        guard !items.isEmpty, let entries = newEntries(items) else { return .refused }
        let from = top.current?.id
        if from != nil && !isEnded { top.place = place }
        levels.append(Level(entries: entries))
        top.skip = skip
        top.begin(at: 0)
        return Edit(Transition(from: from, to: top.current?.id, reason: .automatic, place: nil))
    }

    /// Whether a user may skip the innermost interruption; `nil` if there is no interruption.
    public var interruptionSkip: InterruptionSkipPolicy? { isInterrupted ? top.skip : nil }

    /// Ends the innermost interruption, and resumes the interrupted item.
    ///
    /// - Returns: the transition; `nil` if there is no interruption.
    @discardableResult
    public mutating func skipInterruption() -> Transition? {
        guard isInterrupted else { return nil }
        return take(stepBelow(levels.count - 1, .forward), because: .skip)
    }
}
