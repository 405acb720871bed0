internal import ScrubPlayersLogic
internal import ScrubBase

// Changes of the current item, and the resulting reports: the jump in position, and the item.
extension PlayerState {
    /// The position before the list changed.
    struct PriorPosition {
        let position: Player.Position
        /// The number of interruptions in progress.
        let depth: Int
    }

    func standing(at now: Int64) -> PriorPosition {
        PriorPosition(position: position(at: now), depth: playlist.interruptionDepth)
    }

    /// Returns the reports about a change that was made.
    ///
    /// - Parameters:
    ///   - isChosen: whether a caller named this particular item. In that case, the end of an interruption was not the
    ///     reason.
    func change(
        from standing: PriorPosition, to: PlayerItem.ID?, _ reason: Player.ItemTransitionReason,
        _ jump: Player.DiscontinuityReason, isChosen: Bool = false, at now: Int64
    ) -> [Player.Event] {
        var (reason, jump) = (reason, jump)
        if playlist.interruptionDepth > standing.depth {
            (reason, jump) = (.interruptionBegan, .interruptionBegan)
        } else if playlist.interruptionDepth < standing.depth, !isChosen {
            (reason, jump) = (.interruptionEnded, .interruptionEnded)
        }
        return [
            .positionDiscontinuity(from: standing.position, to: position(at: now), reason: jump),
            .itemTransition(from: standing.position.item, to: to, reason: reason),
        ]
    }

    mutating func tellChange(
        from standing: PriorPosition, to: PlayerItem.ID?, _ reason: Player.ItemTransitionReason,
        _ jump: Player.DiscontinuityReason, isChosen: Bool = false, at now: Int64
    ) {
        jobs.append(.tell(change(from: standing, to: to, reason, jump, isChosen: isChosen, at: now)))
    }

    /// Returns whether a user may currently skip the interruption.
    func maySkipInterruption(at now: Int64) -> Bool {
        playlist.interruptionSkip?.isAllowed(at: position(at: now).time) ?? false
    }
}
