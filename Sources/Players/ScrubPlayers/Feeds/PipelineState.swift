internal import ScrubMedia
internal import ScrubPlayersLogic

/// A lane's state, changed under the lane's lock.
struct PipelineState: Sendable {
    /// An order to play.
    struct Order: Sendable {
        let ticket: Int
        let frame: Int
        let direction: PlaybackDirection
        let stride: Int
        /// Whether no caller is waiting for its next frame yet.
        var isAhead: Bool
        /// The last delivered frame.
        var last: Int?
        /// Whether a decoder is working on it.
        var hasBegun = false
        /// Whether delivery is suspended until there is room again.
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

    /// The current order; `nil` if it was stopped or has ended.
    var order: Order?
    var isLookAhead = false
    /// Whether the decoder is closed if there is no room for more pictures. Playback continues when there is room
    /// again.
    var isLeavingWhenFull = false
    /// Whether the lane was closed permanently.
    var isClosed = false
    /// The number of reports that there is room.
    var resumeCount = 0
    /// The time at which a decoder was requested; `nil` while there is one, or none is needed.
    var askedTime: Int64?

    /// The number of changes that one thread is processing, while it does.
    private var asking = 0

    /// The purpose for which a decoder is needed.
    enum Need {
        case none
        case ahead
        case shown
    }

    /// Returns the purpose for which a decoder is needed.
    ///
    /// - Parameter now: the time of the request; `nil` if there already is a decoder.
    mutating func need(at now: Int64?) -> Need {
        guard !isClosed, let order, !order.isFull else {
            askedTime = nil
            return .none
        }
        if let now { askedTime = isLookAhead ? nil : askedTime ?? now }
        return isLookAhead ? .ahead : .shown
    }

    /// Records a change.
    ///
    /// - Returns: whether no other thread will process it.
    mutating func beginAsking() -> Bool {
        asking += 1
        return asking == 1
    }

    /// Returns whether there were changes since the last call; if not, processing has ended.
    mutating func asksAgain() -> Bool {
        asking = asking > 1 ? 1 : 0
        return asking > 0
    }

    /// Returns the thread's next work.
    ///
    /// - Parameter canPrepare: whether the feed may have work while there is no room.
    func nextWork(canPrepare: Bool) -> Work {
        if isClosed { return .leave(.closed) }
        if isLeavingWhenFull, order?.isFull != false { return .leave(.memoryPressure) }
        guard let order else { return .wait }
        if order.isFull { return order.hasBegun && canPrepare ? .prepare : .wait }
        return order.hasBegun ? .step(order) : .begin(order)
    }

    /// Records that the decoder is closed.
    mutating func noteClosed() {
        (isLeavingWhenFull, askedTime) = (false, nil)
        order?.hasBegun = false
    }

    /// Returns whether news for a ticket is still needed.
    func wants(_ ticket: Int) -> Bool { !isClosed && order?.ticket == ticket }
}
