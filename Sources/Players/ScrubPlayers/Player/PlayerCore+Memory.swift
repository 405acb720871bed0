internal import ScrubPlayersLogic

// Memory for which another player of the budget is waiting.
extension PlayerCore {
    /// Another player is waiting for memory: the timebase's thread releases what is not needed yet.
    func giveWay() {
        let isWoken = state.withLock { state in
            guard !state.givesWay, state.machine.canGiveWay(isTimeStanding: isTimeStanding) else { return false }
            state.givesWay = true
            return true
        }
        if isWoken { wake() }
    }

    /// Whether time stops while any player waits.
    var isTimeStanding: Bool { timebase.kind != .realTime }
}
