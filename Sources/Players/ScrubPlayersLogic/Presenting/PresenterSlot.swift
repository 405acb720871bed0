internal import ScrubBase

/// A presenter's counters so far.
public struct PresenterCounters: Sendable, Hashable {
    /// Frames that it presented.
    public package(set) var presented = 0
    /// Frames that it was given to hold when it took over, which another one had presented.
    public package(set) var held = 0
    /// Pictures that stood for a frame that was not there yet.
    public package(set) var placeholders = 0
    /// The number of times that it took over.
    public package(set) var claims = 0

    package init() {}
}

/// The place of a presenter where the frames that it shows are put.
///
/// The presenter of a frame is decided where it is put here, under the board's lock and this one's, and never by the
/// reader.
///
/// Thread safety: safe from any thread. Memory: one frame, or as many as it queues. After another presenter took over,
/// it reads only the frames that it had queued; none once it has resigned.
package final class PresenterSlot<Frame: Sendable>: Sendable {
    /// The frames that are kept for the reader.
    package enum Mode: Sendable, Hashable {
        /// The newest frame.
        case newest
        /// Every frame, at most so many at a time: if there is no room the player waits, or leaves out.
        ///
        /// Previews of frames whose pictures are late are among them only if it shows these.
        case every(limit: Int, showsPreviews: Bool = false)
    }

    struct State {
        weak var board: PresenterBoard<Frame>?
        /// Of the claim by which it presents.
        var generation = 0
        /// Whether the presenter gave the presenting back itself; false again once it presents.
        var hasResigned = false
        /// Its owner is gone.
        var isClosed = false
        var frame: Frame?
        var queue: [Frame] = []
        /// Whether a frame found no room since one was taken.
        var hasRefused = false
        var counters = PresenterCounters()
        var listener: (@Sendable (Frame) -> Void)?
        var streams: [Int: AsyncStream<Frame>.Continuation] = [:]
        var nextStream = 0
    }

    package let mode: Mode
    let state = Locked(State())

    package init(_ mode: Mode) { self.mode = mode }

    deinit { close() }

    /// The shown frame; `nil` if it presents nothing.
    package var frame: Frame? { state.withLock { $0.frame } }
    package var counters: PresenterCounters { state.withLock { $0.counters } }
    /// Whether the slot is a player's presenter.
    package var isCurrent: Bool { state.withLock { $0.board != nil } }

    /// Whether the slot will never present anything again.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The listeners for frames, in order.
    package func listen(_ listener: (@Sendable (Frame) -> Void)?) {
        // What the old one has captured may end with it, and call back.
        withExtendedLifetime(state.exchange(\.listener, for: listener)) {}
    }

    /// Returns the newest frames for one consumer.
    package func frames() -> AsyncStream<Frame> {
        let (stream, continuation) = AsyncStream.makeStream(of: Frame.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextStream += 1
            state.streams[state.nextStream] = continuation
            // Not read yet; a newer frame must not come before this one.
            if let frame = state.frame { continuation.yield(frame) }
            return state.nextStream
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { state in state.streams[number] = nil } }
        return stream
    }

    /// Gives the presenting back, and ends streams and listening: for the end of its owner. A reference that lasts a
    /// little longer runs no code of callers when it goes.
    package func close() {
        state.withLock { $0.isClosed = true }
        resign()
        listen(nil)
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    /// Reports a frame that was put in place, outside of all locks.
    ///
    /// Also when another presenter has taken over since: this one presented it, and it is reported to no one else as
    /// presented. Not when it has resigned.
    package func tell(_ frame: Frame) {
        let (listener, streams) = state.withLock { state in
            state.hasResigned ? (nil, []) : (state.listener, Array(state.streams.values))
        }
        listener?(frame)
        for stream in streams { stream.yield(frame) }
    }

    /// Takes the oldest frame of the queue, and says whether one that found no room waits for its place.
    package func next() -> (frame: Frame, hasRefused: Bool)? {
        state.withLock { state in
            guard !state.queue.isEmpty else { return nil }
            defer { state.hasRefused = false }
            return (state.queue.removeFirst(), state.hasRefused)
        }
    }

    /// Leaves its present board, unless that is `board`.
    package func leave(except board: PresenterBoard<Frame>) {
        if state.withLock({ $0.board !== board }) { resign() }
    }

    /// Gives the presenting back. Its pictures go.
    package func resign() {
        let (board, generation) = state.withLock { state in
            state.hasResigned = true
            return (state.board, state.generation)
        }
        if let board { return resign(from: board, generation: generation) }
        // What it had presented before another one took over, and was not read.
        let gone = state.withLock { state in
            defer { if state.board == nil { state.queue = [] } }
            return state.board == nil ? state.queue : []
        }
        withExtendedLifetime(gone) {}
    }

    /// Gives a claim back, if it is still the present one.
    ///
    /// - Parameter isHandOver: frames that wait to be read were presented here, and stay to be read.
    package func resign(from board: PresenterBoard<Frame>, generation: Int, isHandOver: Bool = false) {
        board.resign(generation: generation)
        let gone = clear(board, generation: generation, isHandOver: isHandOver)
        withExtendedLifetime(gone) {}
    }

    /// Releases everything, if that claim is still the present one.
    ///
    /// - Parameter isHandOver: another one takes over: frames that wait to be read were presented here, and stay to be
    ///   read.
    /// - Returns: the frames that it held. Its release may run code of the owner, so not under a lock.
    func clear(_ board: PresenterBoard<Frame>, generation: Int, isHandOver: Bool) -> [Frame] {
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
    func put(_ frame: Frame, as kind: PresentedKind, by board: PresenterBoard<Frame>, generation: Int) -> Acceptance {
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
            case .presented: state.counters.presented += 1
            case .held: state.counters.held += 1
            case .placeholder, .preview: state.counters.placeholders += 1
            }
            defer { state.frame = frame }
            return (.taken, state.frame)
        }
        _ = gone
        return acceptance
    }
}

/// Why a frame is put into a presenter's place.
package enum PresentedKind: Sendable, Hashable {
    case presented
    case held
    case placeholder
    /// Stands for a frame whose picture is late, at that frame's time.
    case preview
}
