package import ScrubPlayersLogic
internal import ScrubBase
package import ScrubMedia

/// Makes one medium's pictures on a thread of its own, which exists only while the lane holds a decoder.
///
/// The newest ``start(ticket:at:_:stride:isLookAhead:)`` wins. A lane with nothing to do, because it was stopped or the
/// queue is full, keeps its decoder open and lets it be closed for others. Then, and when its turn is over while others
/// wait, it remembers its place and begins there again. Its kept pictures go with the decoder.
///
/// Decoders are opened, used and closed on the lane's thread. Releasing the lane closes it.
///
/// Thread safety: safe from any thread; nothing blocks but ``DecoderPool``'s short locks.
package final class PictureLane<Feed: PictureFeed>: Sendable {
    private let core: LaneCore<Feed>

    /// Makes a lane; nothing is opened.
    ///
    /// - Parameters:
    ///   - pool: whose decoders it takes.
    ///   - meter: receives reports of its decoders' work.
    ///   - makeFeed: called on the lane's thread.
    ///   - deliver: called on the lane's thread, one call at a time; from another thread only to say that the system
    ///     has no thread left. It takes every picture that it is given. False after a frame says that the queue is full
    ///     now, and that the next one has to wait for ``resume(ticket:isAhead:)``. Kept until the lane is closed.
    package init(
        pool: DecoderPool, meter: LaneMeter = LaneMeter(),
        makeFeed: @escaping @Sendable () throws(ScrubError) -> sending Feed,
        deliver: @escaping @Sendable (_ ticket: Int, LaneNews<Feed.Image>) -> Bool
    ) {
        core = LaneCore(pool: pool, meter: meter, makeFeed: makeFeed, deliver: deliver)
    }

    deinit { core.close() }

    /// Begins at a frame; an earlier playback is over.
    ///
    /// Once this has returned no delivery for an older ticket begins. One that is under way may still be going on:
    /// the receiver compares tickets.
    ///
    /// - Parameters:
    ///   - ticket: comes back with everything that is delivered.
    ///   - isLookAhead: whether it is prepared for later: it takes a decoder only if one is free, and gives it back as
    ///     soon as another lane waits.
    /// - Returns: whether it has a decoder. If not, it waits for one in line, unless it looks ahead.
    @discardableResult
    package func start(
        ticket: Int, at frame: Int, _ direction: PlaybackDirection, stride: Int = 1, isLookAhead: Bool = false
    ) -> Bool {
        core.start(
            LaneState.Order(
                ticket: ticket, frame: frame, direction: direction, stride: stride, isAhead: isLookAhead),
            isLookAhead: isLookAhead)
    }

    /// Says that there is room again for a ticket's pictures.
    ///
    /// - Parameter isAhead: whether nothing waits for the next frame yet; after that frame nothing does.
    package func resume(ticket: Int, isAhead: Bool) { core.resume(ticket, isAhead: isAhead) }

    /// Makes a look-ahead the current playback: it waits for a decoder in line if it has none.
    package func becomeCurrent() { core.becomeCurrent() }

    /// Leaves the present work, between two packets. The decoder stays open until another lane wants one.
    package func stop() { core.stop() }

    /// As ``stop()``, and closes the decoder; another start opens one again.
    package func detach() { core.detach() }

    /// Closes the decoder once there is no room for more, and goes on with another one when there is.
    package func closeDecoderWhenFull() { core.closeDecoderWhenFull() }

    /// Ends the lane: nothing is delivered and nothing can be started any more.
    package func close() { core.close() }

    /// A Boolean value that indicates whether the lane holds a decoder, or is just closing it.
    package var isAttached: Bool { core.seat.isSeated }
    /// A Boolean value that indicates whether the lane is in line for a decoder.
    package var isWaiting: Bool { core.seat.isWaiting }
    /// Coded pictures that were decoded again because the decoder was given back on the way.
    package var redecodedCount: Int { core.redecodedCount }
}
