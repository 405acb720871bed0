internal import ScrubBase

/// What a presenter did so far.
public struct PresenterCounters: Sendable, Hashable {
    /// Frames that it presented.
    public package(set) var presented = 0
    /// Frames that it was given to hold when it took over, which another one had presented.
    public package(set) var held = 0
    /// Pictures that stood for a frame that was not there yet.
    public package(set) var placeholders = 0
    /// How often it took over.
    public package(set) var claims = 0

    package init() {}
}

/// The place of a presenter where the frames that it shows are put.
///
/// Who presents a frame is decided where it is put here, under the board's lock and this one's, and never by who reads it.
///
/// Thread safety: safe from any thread. Memory: one frame, or as many as it queues; none while it is nobody's presenter.
package final class PresenterSlot<Frame: Sendable>: Sendable {
    /// What is kept for the reader.
    package enum Mode: Sendable, Hashable {
        /// The newest frame.
        case newest
        /// Every frame, at most so many at a time: when there is no room the player waits, or leaves out.
        case every(limit: Int)
    }

    struct State {
        weak var board: PresenterBoard<Frame>?
        /// Of the claim by which it presents.
        var generation = 0
        var frame: Frame?
        var queue: [Frame] = []
        var counters = PresenterCounters()
        var listener: (@Sendable (Frame) -> Void)?
        var streams: [Int: AsyncStream<Frame>.Continuation] = [:]
        var nextStream = 0
    }

    package let mode: Mode
    let state = Locked(State())

    package init(_ mode: Mode) { self.mode = mode }

    deinit { resign() }

    /// What it shows; `nil` when it presents nothing.
    package var frame: Frame? { state.withLock { $0.frame } }
    package var counters: PresenterCounters { state.withLock { $0.counters } }
    /// Whether it is somebody's presenter.
    package var isCurrent: Bool { state.withLock { $0.board != nil } }

    /// Who is told of frames, in order.
    package func listen(_ listener: (@Sendable (Frame) -> Void)?) { state.withLock { $0.listener = listener } }

    /// The newest frames for one consumer.
    package func frames() -> AsyncStream<Frame> {
        let (stream, continuation) = AsyncStream.makeStream(of: Frame.self, bufferingPolicy: .bufferingNewest(1))
        let (number, frame) = state.withLock { state in
            state.nextStream += 1
            state.streams[state.nextStream] = continuation
            return (state.nextStream, state.frame)
        }
        continuation.onTermination = { [weak self] _ in self?.state.withLock { state in state.streams[number] = nil } }
        if let frame { continuation.yield(frame) }
        return stream
    }

    /// Ends all streams.
    package func endFrames() {
        let streams = state.withLock { state in
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }

    /// Tells of a frame that was put in place, outside of all locks; not when the presenting has passed on since.
    package func tell(_ frame: Frame) {
        let (listener, streams) = state.withLock { state in
            state.board == nil ? (nil, []) : (state.listener, Array(state.streams.values))
        }
        listener?(frame)
        for stream in streams { stream.yield(frame) }
    }

    /// Takes the oldest frame of the queue.
    package func next() -> Frame? {
        state.withLock { $0.queue.isEmpty ? nil : $0.queue.removeFirst() }
    }

    package var queuedCount: Int { state.withLock { $0.queue.count } }

    /// Leaves what it presents, unless that is `board`.
    package func leave(except board: PresenterBoard<Frame>) {
        if state.withLock({ $0.board !== board }) { resign() }
    }

    /// Gives the presenting back. Its pictures go.
    package func resign() {
        let (board, generation) = state.withLock { ($0.board, $0.generation) }
        board?.resign(generation: generation)
        _ = clear(generation: generation)
    }

    /// Lets go of everything, if that claim is still the present one.
    ///
    /// - Returns: what it held. It may end with the caller, and run code of whoever made it, so not under a lock.
    func clear(generation: Int) -> [Frame] {
        state.withLock { state in
            guard state.generation == generation else { return [] }
            defer { (state.board, state.frame, state.queue) = (nil, nil, []) }
            return (state.frame.map { [$0] } ?? []) + state.queue
        }
    }

    /// Puts a frame in place.
    func put(_ frame: Frame, as kind: PresentedKind, by board: PresenterBoard<Frame>, generation: Int) -> Acceptance {
        let (acceptance, gone) = state.withLock { state -> (Acceptance, Frame?) in
            guard state.board === board, state.generation == generation else { return (.nobody, nil) }
            if case .every(let limit) = mode, kind == .presented {
                guard state.queue.count < limit else { return (.full, nil) }
                state.queue.append(frame)
            }
            switch kind {
            case .presented: state.counters.presented += 1
            case .held: state.counters.held += 1
            case .placeholder: state.counters.placeholders += 1
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
}
