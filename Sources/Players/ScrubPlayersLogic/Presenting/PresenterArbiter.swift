internal import ScrubBase

/// The object that determines who presents a player's frames: one presenter, or none.
///
/// A claim takes over from the previous presenter in one step: there are never two at once, and no frame is presented
/// by both. The new presenter receives the frame on screen to hold; the next presented frame is the one after it.
///
/// Thread safety: safe from any thread. Memory: the frame on screen.
package final class PresenterArbiter<Frame: Sendable>: Sendable {
    private struct State {
        weak var owner: PresenterSlot<Frame>?
        var generation = 0
        /// The frame on screen, presented or due.
        var shown: Frame?
        var transition: Transition?
        var lastTransition = 0
        var isClosed = false
    }

    private struct Transition {
        let number: Int
        weak var from: PresenterSlot<Frame>?
        weak var to: PresenterSlot<Frame>?
        /// The claim through which `to` has it.
        let generation: Int
    }

    private let state = Locked(State())
    /// Returns the frame that a new presenter holds.
    private let held: @Sendable (Frame) -> Frame
    private let changed: @Sendable () -> Void

    /// Creates a board.
    ///
    /// - Parameters:
    ///   - held: marks a frame as already presented.
    ///   - changed: called after a presenter resigned, without holding locks.
    package init(held: @escaping @Sendable (Frame) -> Frame, changed: @escaping @Sendable () -> Void) {
        (self.held, self.changed) = (held, changed)
    }

    /// The current presenter.
    package var owner: PresenterSlot<Frame>? { state.withLock { $0.owner } }
    package var shown: Frame? { state.withLock { $0.shown } }
    /// The number of changes of presenters.
    package var generation: Int { state.withLock { $0.generation } }

    /// Makes a presenter the active one. It must already have left any other board (``PresenterSlot/leave(except:)``).
    ///
    /// - Returns: the frame that it now holds, to be reported after all locks are released; `nil` if there is no frame
    ///   on screen, or if it was already the presenter.
    package func claim(_ slot: PresenterSlot<Frame>) -> Frame? { take(slot, isTransition: false).held }

    /// Makes a presenter the active one.
    ///
    /// - Returns: the number of the transition, 0 for none, and the frame that the presenter holds.
    private func take(_ slot: PresenterSlot<Frame>, isTransition: Bool) -> (number: Int, held: Frame?) {
        // Strong references taken here may be the last ones: they end after the lock.
        var old: PresenterSlot<Frame>?
        var gone: [Frame] = []
        let taken = state.withLock { state -> (Int, Frame?) in
            guard !state.isClosed else { return (0, nil) }
            old = state.owner
            let oldGeneration = state.generation
            if old !== slot { state.generation += 1 }
            state.owner = slot
            // A presenter that presents through a transition in progress stays the one to return to.
            let before = state.transition.flatMap { $0.generation == oldGeneration && old === slot ? $0 : nil }
            state.transition = nil
            if isTransition {
                state.lastTransition += 1
                state.transition = Transition(
                    number: state.lastTransition, from: before == nil ? old : before?.from, to: slot,
                    generation: state.generation)
            }
            let number = isTransition ? state.lastTransition : 0
            guard old !== slot else { return (number, nil) }
            // The old presenter's picture is released in the same step.
            gone = old?.clear(self, generation: oldGeneration, isHandOver: true) ?? []
            let (generation, shown) = (state.generation, state.shown.map(held))
            slot.state.withLock { place in
                (place.board, place.generation, place.hasResigned) = (self, generation, false)
                place.counters.attachCount += 1
            }
            if let shown { _ = slot.put(shown, as: .held, by: self, generation: generation) }
            return (number, shown)
        }
        withExtendedLifetime((old, gone)) {}
        return (number: taken.0, held: taken.1)
    }

    /// Removes a presenter, if that claim is still current.
    func resign(generation: Int) {
        let hasResigned = state.withLock { state in
            guard state.generation == generation else { return false }
            state.owner = nil
            state.generation += 1
            return true
        }
        if hasResigned { changed() }
    }

    /// Transfers presentation to a presenter for a transition that may be cancelled.
    ///
    /// - Returns: the transition's number, and the held frame as for ``claim(_:)``.
    package func beginTransition(to slot: PresenterSlot<Frame>) -> (number: Int, held: Frame?) {
        take(slot, isTransition: true)
    }

    /// The consequence of a transition's end.
    package enum TransitionEnd: Sendable {
        /// No change: it is complete, or another presenter has claimed in the meantime.
        case stays
        /// The previous presenter is active again, and holds a frame.
        case returned(PresenterSlot<Frame>, held: Frame?)
        /// The previous presenter was released or presents for another player. This one resigns from that claim,
        /// without holding locks.
        case resigns(PresenterSlot<Frame>?, generation: Int)
    }

    /// Ends a transition, once, and only if no other presenter has claimed since it began.

    package func endTransition(_ number: Int, isCancelled: Bool) -> TransitionEnd {
        let found = state.withLock { state -> Transition? in
            guard let transition = state.transition, transition.number == number else { return nil }
            state.transition = nil
            guard isCancelled, transition.generation == state.generation else { return nil }
            return transition
        }
        guard let found else { return .stays }
        let (from, to) = (found.from, found.to)
        if let from, from === to { return .stays }
        guard let from, !from.isCurrent, !from.isClosed else { return .resigns(to, generation: found.generation) }
        return .returned(from, held: claim(from))
    }

    /// Delivers a frame whose time has come.
    ///
    /// - Returns: the outcome, and the presenter to notify after all locks are released.
    package func present(_ frame: Frame) -> (Acceptance, PresenterSlot<Frame>?) { put(frame, as: .presented) }

    /// Delivers a picture that stands in for one that is not available yet.
    ///
    /// - Parameter isPreview: whether the frame's time has come, and this is its preview.
    package func place(_ frame: Frame, asPreview isPreview: Bool = false) -> (Acceptance, PresenterSlot<Frame>?) {
        put(frame, as: isPreview ? .preview : .placeholder)
    }

    private func put(_ frame: Frame, as kind: PresentedKind) -> (Acceptance, PresenterSlot<Frame>?) {
        var owner: PresenterSlot<Frame>?
        var gone: Frame?
        let acceptance = state.withLock { state -> Acceptance in
            owner = state.owner
            let acceptance = owner?.put(frame, as: kind, by: self, generation: state.generation) ?? .nobody
            if acceptance == .taken {
                gone = state.shown
                state.shown = frame
            }
            return acceptance
        }
        _ = gone
        return (acceptance, owner)
    }

    /// Records a frame whose time passed while there was no presenter.
    package func pass(_ frame: Frame) { _ = state.exchange(\.shown, for: frame) }

    /// Releases the presenter. Afterward, no frames are presented.
    package func close() {
        let (owner, generation) = state.withLock { state in
            (state.isClosed, state.transition) = (true, nil)
            return (state.owner, state.generation)
        }
        clear()
        owner?.resign(from: self, generation: generation, isHandOver: true)
    }

    /// Clears the screen.
    package func clear() {
        var owner: PresenterSlot<Frame>?
        let gone = state.withLock { state -> Frame? in
            owner = state.owner
            defer { state.shown = nil }
            return state.shown
        }
        let frame = owner?.state.withLock { place -> Frame? in
            guard place.board === self else { return nil }
            defer { place.frame = nil }
            return place.frame
        }
        withExtendedLifetime((owner, gone, frame)) {}
    }
}
