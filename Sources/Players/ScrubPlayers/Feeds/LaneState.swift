internal import ScrubMedia
internal import ScrubPlayersLogic

/// A lane's orders and its holdings, changed under the lane's lock.
struct LaneState: Sendable {
    /// Whether there is a decoder.
    enum Phase: Sendable {
        /// No lease and no thread, and none was asked for.
        case detached
        /// In the pool's line; the request is known once asking has returned.
        case waiting(DecoderRequest?)
        /// A lease and a thread.
        case attached(DecoderPool.Lease)
    }

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
        case leave
    }

    var phase = Phase.detached
    /// Distinguishes requests for a lease from earlier ones.
    var serial = 0
    /// Nil when it was stopped, or has ended.
    var order: Order?
    var isLookAhead = false
    /// Why the decoder is to be closed; `nil` while it may stay.
    var leaving: AccessLog.Entry.DetachReason?
    /// The time at which a decoder was asked for.
    var askedTime: Int64 = 0
    /// Whether the decoder closes when there is no room for more pictures. Playback continues when there is room again.
    var isLeavingWhenFull = false
    /// Whether the lane was closed for good.
    var isClosed = false
    /// The number of reports of room.
    var resumeCount = 0
    /// Pictures that were decoded again because the decoder was given back on the way.
    var redecodedCount = 0

    /// Whether a decoder would be used if there was one.
    var wantsDecoder: Bool { !isClosed && order.map { !$0.isFull } ?? false }

    /// - Parameter canPrepare: whether the feed may have something to do while there is no room.
    mutating func nextWork(canPrepare: Bool) -> Work {
        if isClosed || leaving != nil || (isLeavingWhenFull && order?.isFull != false) { return .leave }
        guard let order else { return .wait }
        if order.isFull { return order.hasBegun && canPrepare ? .prepare : .wait }
        if order.hasBegun { return .step(order) }
        self.order?.hasBegun = true
        return .begin(order)
    }

    /// Why the decoder was closed. Without another reason it was found to be in use elsewhere.
    var detachReason: AccessLog.Entry.DetachReason {
        isClosed ? .closed : leaving ?? (isLeavingWhenFull ? .memoryPressure : .evicted)
    }

    /// Whether news of a ticket are still wanted.
    func wants(_ ticket: Int) -> Bool { !isClosed && order?.ticket == ticket }
}
