internal import ScrubMedia
internal import ScrubPlayersLogic

/// A lane's orders, changed under the lane's lock.
struct LaneState: Sendable {
    /// An order to play.
    struct Order: Sendable {
        let ticket: Int
        let frame: Int
        let direction: PlaybackDirection
        let stride: Int
        /// Whether nothing waits for its next frame yet.
        var isAhead: Bool
        /// The last frame that was delivered.
        var last: Int?
        /// Whether a decoder goes on with it.
        var hasBegun = false
        /// Whether nothing is delivered before there is room again.
        var isFull = false
    }

    /// The thread's next work.
    enum Work: Sendable {
        case begin(Order)
        case step(Order)
        case prepare
        case wait
        case leave(AccessLog.Entry.DetachReason)
    }

    /// Nil when it was stopped, or has ended.
    var order: Order?
    var isLookAhead = false
    /// Whether the decoder closes when there is no room for more pictures. Playback continues when there is room again.
    var isLeavingWhenFull = false
    /// Whether the lane was closed for good.
    var isClosed = false
    /// The number of reports of room.
    var resumeCount = 0
    /// The time at which a decoder was asked for; `nil` while there is one, or none is wanted.
    var askedTime: Int64?

    /// The number of changes that one thread looks at, as long as it does.
    private var asking = 0

    /// What a decoder is wanted for.
    enum Need {
        case none
        case ahead
        case shown
    }

    /// Returns what a decoder is wanted for.
    ///
    /// - Parameter now: the time at which it is asked for; `nil` if it is there.
    mutating func need(at now: Int64?) -> Need {
        guard !isClosed, let order, !order.isFull else {
            askedTime = nil
            return .none
        }
        if let now { askedTime = isLookAhead ? nil : askedTime ?? now }
        return isLookAhead ? .ahead : .shown
    }

    /// Notes a change.
    ///
    /// - Returns: whether no other thread will look at it.
    mutating func beginAsking() -> Bool {
        asking += 1
        return asking == 1
    }

    /// Returns whether there were changes since it was last asked; if not, asking is over.
    mutating func asksAgain() -> Bool {
        asking = asking > 1 ? 1 : 0
        return asking > 0
    }

    /// - Parameter canPrepare: whether the feed may have something to do while there is no room.
    func nextWork(canPrepare: Bool) -> Work {
        if isClosed { return .leave(.closed) }
        if isLeavingWhenFull, order?.isFull != false { return .leave(.memoryPressure) }
        guard let order else { return .wait }
        if order.isFull { return order.hasBegun && canPrepare ? .prepare : .wait }
        return order.hasBegun ? .step(order) : .begin(order)
    }

    /// Notes that the decoder is closed.
    mutating func noteClosed() {
        (isLeavingWhenFull, askedTime) = (false, nil)
        order?.hasBegun = false
    }

    /// Whether news of a ticket are still wanted.
    func wants(_ ticket: Int) -> Bool { !isClosed && order?.ticket == ticket }
}
