internal import ScrubBase

/// Says who presents a player's frames: one presenter, or nobody.
///
/// A claim takes the presenting away from whoever had it, in one step: there is never a moment with two, and no frame that two
/// present. Who takes over gets the frame that is on screen to hold; the next one that is presented is the one after it.
///
/// Thread safety: safe from any thread. Memory: the frame that is on screen.
package final class PresenterBoard<Frame: Sendable>: Sendable {
    private struct State {
        weak var owner: PresenterSlot<Frame>?
        var generation = 0
        /// The frame on screen, presented or due.
        var shown: Frame?
        var transition: Transition?
    }

    private struct Transition {
        let number: Int
        weak var from: PresenterSlot<Frame>?
        weak var to: PresenterSlot<Frame>?
        /// The claim by which `to` has it.
        let generation: Int
    }

    private let state = Locked(State())
    /// Makes the frame that a new presenter holds.
    private let held: @Sendable (Frame) -> Frame
    private let changed: @Sendable () -> Void

    /// - Parameters:
    ///   - held: marks a frame as one that was presented before.
    ///   - changed: told after the presenter changed, outside of all locks.
    package init(held: @escaping @Sendable (Frame) -> Frame, changed: @escaping @Sendable () -> Void) {
        (self.held, self.changed) = (held, changed)
    }

    /// Who presents.
    package var owner: PresenterSlot<Frame>? { state.withLock { $0.owner } }
    package var shown: Frame? { state.withLock { $0.shown } }

    /// Makes a presenter the one that presents. It leaves whatever it presented before.
    package func claim(_ slot: PresenterSlot<Frame>) {
        if slot.state.withLock({ $0.board !== self }) { slot.resign() }
        _ = take(slot, transition: nil)
        changed()
    }

    /// - Returns: the number of the claim.
    private func take(_ slot: PresenterSlot<Frame>, transition: ((Int) -> Transition)?) -> Int {
        // Strong references taken here may be the last: they end after the lock.
        var old: PresenterSlot<Frame>?
        var gone: [Frame] = []
        let generation = state.withLock { state -> Int in
            old = state.owner
            let oldGeneration = state.generation
            if old !== slot { state.generation += 1 }
            state.owner = slot
            state.transition = transition?(state.generation)
            guard old !== slot else { return state.generation }
            // The old one's picture goes in the same step.
            gone = old?.clear(generation: oldGeneration) ?? []
            let (generation, shown) = (state.generation, state.shown)
            slot.state.withLock { place in
                (place.board, place.generation) = (self, generation)
                place.counters.claims += 1
            }
            if let shown { _ = slot.put(held(shown), as: .held, by: self, generation: generation) }
            return generation
        }
        _ = (old, gone)
        return generation
    }

    /// Takes a presenter out, if that claim is still the present one.
    func resign(generation: Int) {
        let hasResigned = state.withLock { state in
            guard state.generation == generation else { return false }
            state.owner = nil
            state.generation += 1
            return true
        }
        if hasResigned { changed() }
    }

    /// Lets a presenter take over for a transition that may be called off.
    ///
    /// - Returns: the transition's number.
    package func beginTransition(to slot: PresenterSlot<Frame>) -> Int {
        if slot.state.withLock({ $0.board !== self }) { slot.resign() }
        let from = owner
        let number = take(slot) { Transition(number: $0, from: from, to: slot, generation: $0) }
        changed()
        return number
    }

    /// Ends a transition.
    ///
    /// - Parameter isCancelled: whether the one who presented before takes it back. When it is gone, nobody presents; when somebody else has
    ///   claimed meanwhile, nothing changes.
    package func endTransition(_ number: Int, isCancelled: Bool) {
        let found = state.withLock { state -> (from: PresenterSlot<Frame>?, to: PresenterSlot<Frame>?)? in
            guard let transition = state.transition, transition.number == number else { return nil }
            state.transition = nil
            guard isCancelled, transition.generation == state.generation else { return nil }
            return (transition.from, transition.to)
        }
        guard let found else { return }
        if let from = found.from {
            // It may present for somebody else meanwhile, and keeps that then.
            guard !from.isCurrent else { return found.to?.resign() ?? () }
            claim(from)
        } else {
            found.to?.resign()
        }
    }

    /// Hands out a frame whose time has come.
    package func present(_ frame: Frame) -> Acceptance { put(frame, as: .presented) }

    /// Hands out a picture that stands for one that is not there yet.
    package func place(_ frame: Frame) -> Acceptance { put(frame, as: .placeholder) }

    private func put(_ frame: Frame, as kind: PresentedKind) -> Acceptance {
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
        _ = (owner, gone)
        return acceptance
    }

    /// Takes down a frame that went by while nobody presented.
    package func pass(_ frame: Frame) {
        let gone = state.withLock { state in
            defer { state.shown = frame }
            return state.shown
        }
        _ = gone
    }

    /// Takes everything from the screen.
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
        _ = (gone, frame)
    }
}
