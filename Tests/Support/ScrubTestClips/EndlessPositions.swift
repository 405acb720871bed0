package import ScrubBase

/// Positions without an end, which count how many of them were taken.
package struct EndlessPositions: Sequence, Sendable {
    private let taken: Locked<Int>

    package init(taken: Locked<Int>) { self.taken = taken }

    package func makeIterator() -> UnfoldSequence<FramePosition, Int> {
        sequence(state: 0) { number in
            number += 1
            taken.withLock { $0 += 1 }
            return .frame(number * 7 % 100)
        }
    }
}
