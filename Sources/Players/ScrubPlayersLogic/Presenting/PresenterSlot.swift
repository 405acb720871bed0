package import ScrubBase

/// Counters for what a presenter has shown since it was created.
public struct PresenterCounters: Sendable, Hashable {
    /// The number of frames that it presented.
    public package(set) var presentedCount = 0
    /// The number of frames that another presenter had already presented, and that it showed when it took over.
    public package(set) var heldCount = 0
    /// The number of pictures that it showed in place of frames that were not available yet.
    public package(set) var placeholderCount = 0
    /// The number of times that it took over.
    public package(set) var attachCount = 0

    package init() {}
}

/// A presenter's slot, which receives the frames that it shows.
///
/// Which presenter shows a frame is decided when the frame is put here, under the board's lock and this one's, and
/// never by the reader.
///
/// Thread safety: safe from any thread. Memory: one frame, or as many as it queues. After another presenter took over,
/// it reads only the frames that it had queued; after it has resigned, none.
package final class PresenterSlot<Frame: Sendable>: Sendable {
    /// Which frames are kept for the reader.
    package enum Mode: Sendable, Hashable {
        /// The newest frame.
        case newest
        /// Every frame, at most this many at once. If there is no room, the player waits or drops frames.
        ///
        /// Previews of frames whose pictures are late are included only with `showsPreviews`.
        case every(limit: Int, showsPreviews: Bool = false)
    }

    struct State {
        weak var board: PresenterArbiter<Frame>?
        /// The claim through which it presents.
        var generation = 0
        /// Whether the presenter itself resigned; false again once it presents.
        var hasResigned = false
        /// Whether its owner was released.
        var isClosed = false
        var frame: Frame?
        var queue: [Frame] = []
        /// Whether a frame found no room since one was taken.
        var hasRefused = false
        var counters = PresenterCounters()
        var listener: (@Sendable (Frame) -> Void)?
        var readers: [Int: Mailbox<Frame>] = [:]
        var lastReader = 0
    }

    package let mode: Mode
    let state = Locked(State())

    package init(_ mode: Mode) { self.mode = mode }

    deinit { close() }

    /// The shown frame; `nil` if it presents nothing.
    package var frame: Frame? { state.withLock { $0.frame } }
    package var counters: PresenterCounters { state.withLock { $0.counters } }
    /// Whether the slot belongs to a player's current presenter.
    package var isCurrent: Bool { state.withLock { $0.board != nil } }

    /// Whether the slot is permanently closed.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Sets the listener for frames, which are delivered in order.
    package func listen(_ listener: (@Sendable (Frame) -> Void)?) {
        // The old listener's captured objects may be released with it, and call back.
        withExtendedLifetime(state.exchange(\.listener, for: listener)) {}
    }

    /// Returns a reader of the newest frames.
    package func frames() -> MailboxReader<Frame> {
        let mailbox = Mailbox<Frame>(limit: 1)
        let number = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = mailbox
            // Not read yet; a newer frame must not come before this one.
            if let frame = state.frame { mailbox.put(frame) }
            return state.lastReader
        }
        return MailboxReader(mailbox) { [weak self] in self?.forget(number) }
    }

    private func forget(_ number: Int) { state.withLock { $0.readers[number] = nil } }

    /// Resigns, and ends readers and listening, when the owner is released. A reference that lives slightly longer runs
    /// no callers' code when it is released.
    package func close() {
        state.withLock { $0.isClosed = true }
        resign()
        listen(nil)
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    /// Reports a frame that was put in place, without holding locks.
    ///
    /// It is also reported if another presenter has taken over since, because this one presented it and no other one
    /// reports it. It is not reported after resigning.
    package func tell(_ frame: Frame) {
        let (listener, readers) = state.withLock { state in
            state.hasResigned ? (nil, []) : (state.listener, Array(state.readers.values))
        }
        listener?(frame)
        for reader in readers { reader.put(frame) }
    }

    /// Removes and returns the oldest frame of the queue, and whether a frame that found no room is waiting for its
    /// place.
    package func next() -> (frame: Frame, hasRefused: Bool)? {
        state.withLock { state in
            guard !state.queue.isEmpty else { return nil }
            defer { state.hasRefused = false }
            return (state.queue.removeFirst(), state.hasRefused)
        }
    }

    /// Leaves its current board, unless that is `board`.
    package func leave(except board: PresenterArbiter<Frame>) {
        if state.withLock({ $0.board !== board }) { resign() }
    }

    /// Resigns. Its pictures are released.
    package func resign() {
        let (board, generation) = state.withLock { state in
            state.hasResigned = true
            return (state.board, state.generation)
        }
        if let board { return resign(from: board, generation: generation) }
        // The frames that it had presented before another presenter took over, and that were not read.
        let gone = state.withLock { state in
            defer { if state.board == nil { state.queue = [] } }
            return state.board == nil ? state.queue : []
        }
        withExtendedLifetime(gone) {}
    }

    /// Gives up a claim, if it is still current.
    ///
    /// - Parameter isHandOver: whether frames that wait to be read were presented here, and stay to be read.
    package func resign(from board: PresenterArbiter<Frame>, generation: Int, isHandOver: Bool = false) {
        board.resign(generation: generation)
        let gone = clear(board, generation: generation, isHandOver: isHandOver)
        withExtendedLifetime(gone) {}
    }

    /// Releases all frames, if that claim is still current.
    ///
    /// - Parameter isHandOver: whether another presenter takes over. Frames that wait to be read were presented here,
    ///   and stay to be read.
    /// - Returns: the frames that it held. Releasing them may run the owner's code, so it must not happen under a lock.
    func clear(_ board: PresenterArbiter<Frame>, generation: Int, isHandOver: Bool) -> [Frame] {
        state.withLock { state in
            guard state.board === board, state.generation == generation else { return [] }
            var gone = state.frame.map { [$0] } ?? []
            (state.board, state.frame) = (nil, nil)
            if !isHandOver {
                gone += state.queue
                (state.queue, state.hasResigned) = ([], true)
            }
            return gone
        }
    }

    /// Puts a frame in place.
    func put(_ frame: Frame, as kind: PresentedKind, by board: PresenterArbiter<Frame>, generation: Int) -> Acceptance {
        let (acceptance, gone) = state.withLock { state -> (Acceptance, Frame?) in
            guard state.board === board, state.generation == generation else { return (.nobody, nil) }
            if case .every(_, showsPreviews: false) = mode, kind == .preview { return (.nobody, nil) }
            if case .every(let limit, _) = mode, kind == .presented || kind == .preview {
                guard state.queue.count < limit else {
                    state.hasRefused = true
                    return (.full, nil)
                }
                state.queue.append(frame)
            }
            switch kind {
            case .presented: state.counters.presentedCount += 1
            case .held: state.counters.heldCount += 1
            case .placeholder, .preview: state.counters.placeholderCount += 1
            }
            defer { state.frame = frame }
            return (.taken, state.frame)
        }
        _ = gone
        return acceptance
    }
}

/// The reason why a frame is put into a presenter's slot.
package enum PresentedKind: Sendable, Hashable {
    case presented
    case held
    case placeholder
    /// A stand-in for a frame whose picture is late, at that frame's time.
    case preview
}
