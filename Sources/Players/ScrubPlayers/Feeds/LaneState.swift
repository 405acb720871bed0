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
    /// Whether the decoder is to be closed now.
    var isLeaving = false
    /// Whether the decoder closes when there is no room for more pictures. Playback continues when there is room again.
    var isLeavingWhenFull = false
    /// Whether the lane was closed for good.
    var isClosed = false
    /// The number of reports of room.
    var resumeCount = 0
    /// Pictures that were decoded again because the decoder was given back on the way.
    var redecodedCount = 0
    /// The time at which a decoder was asked for; `nil` while there is one, or none is wanted.
    var askedTime: Int64?

    /// Whether a decoder would be used if there was one.
    var wantsDecoder: Bool { !isClosed && order.map { !$0.isFull } ?? false }

    /// - Parameter canPrepare: whether the feed may have something to do while there is no room.
    func nextWork(canPrepare: Bool) -> Work {
        if isClosed || isLeaving { return .leave(.closed) }
        if isLeavingWhenFull, order?.isFull != false { return .leave(.memoryPressure) }
        guard let order else { return .wait }
        if order.isFull { return order.hasBegun && canPrepare ? .prepare : .wait }
        return order.hasBegun ? .step(order) : .begin(order)
    }

    /// Notes that the decoder is closed.
    mutating func noteClosed() {
        (isLeaving, isLeavingWhenFull) = (false, false)
        order?.hasBegun = false
    }

    /// Whether news of a ticket are still wanted.
    func wants(_ ticket: Int) -> Bool { !isClosed && order?.ticket == ticket }
}
