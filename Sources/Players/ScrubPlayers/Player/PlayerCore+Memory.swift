internal import ScrubPlayersLogic

// Memory that another player of the budget waits for.
extension PlayerCore {
    /// Another player waits for memory: the timebase's thread lets go what is not wanted yet.
    func giveWay() {
        let isWoken = state.withLock { state in
            guard !state.givesWay, state.machine.canGiveWay(isTimeStanding: isTimeStanding) else { return false }
            state.givesWay = true
            return true
        }
        if isWoken { wake() }
    }

    /// Whether time stands while anyone waits.
    var isTimeStanding: Bool { timebase.kind != .realTime }
}
