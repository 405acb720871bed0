internal import Glibc
internal import ScrubBase
internal import ScrubPlayersLogic
internal import Synchronization

/// An object that shows a player's frames: a view, a layer, a screen.
///
/// Several presenters may share a player. Only the presenter that was attached to the player most recently is active,
/// like a first responder. When a presenter takes over, it immediately receives the frame on screen, and then presents
/// frames from the next one on. During a handover, each frame is presented once, by only one of the presenters. A
/// presenter resigns automatically when it is released. A presenter that has resigned does not hold a picture.
///
/// ```swift
/// let presenter = Presenter { frame in draw(frame.picture) }
/// player.attach(presenter)
/// ```
///
/// Keep a reference to the presenter for as long as it should show frames, because players do not retain it. In a debug
/// build, a hint is printed to standard error the first time that an active presenter is released before it has shown a
/// frame.
///
/// Thread safety: safe from any thread. Memory: the frame that it shows.
public final class Presenter: Sendable {
    let slot: PresenterSlot<PlayerFrame>

    /// Creates a presenter that does not present anything yet.
    ///
    /// - Parameter onFrame: a closure to call with each frame for the presenter, in order, on one of the library's
    ///   threads. It should return quickly, and must not retain the presenter. One call may still be in progress after
    ///   ``resign()`` returns.
    public convenience init(onFrame: (@Sendable (PlayerFrame) -> Void)? = nil) { self.init(.newest, onFrame) }

    package init(_ mode: PresenterSlot<PlayerFrame>.Mode, _ onFrame: (@Sendable (PlayerFrame) -> Void)? = nil) {
        slot = PresenterSlot(mode)
        slot.listen(onFrame)
    }

    deinit {
        if slot.isCurrent, slot.frame == nil { PresenterHint.sayOnce() }
        slot.close()
    }

    /// The frame that the presenter shows; `nil` if it shows none.
    public var frame: PlayerFrame? { slot.frame }
    /// Whether this is a player's current presenter.
    public var isCurrent: Bool { slot.isCurrent }
    /// The presenter's counters so far.
    public var counters: PresenterCounters { slot.counters }

    /// The frames to show: the current one first, if there is one, then every new one. A slow reader receives only the
    /// newest frame, but the player counts all frames as presented.
    ///
    /// Each access returns a separate sequence. The sequence ends when the presenter is released, or when a task is
    /// cancelled while it is waiting for the next frame. Memory: one frame, until it is read or the sequence is
    /// released.
    public var frames: Presenter.Frames { Presenter.Frames(reader: slot.frames()) }

    /// Stops presenting, and releases the presenter's picture.
    public func resign() { slot.resign() }
}

extension Presenter {
    /// An asynchronous sequence of a presenter's frames (``Presenter/frames``).
    ///
    /// The sequence holds only the newest frame, so a slow reader misses earlier ones. Iterators of one sequence share
    /// its frames: each frame goes to only one of them. The sequence never throws and does not keep the presenter
    /// alive.
    ///
    /// Thread safety: safe from any task. Only one task may use an iterator at a time.
    public struct Frames: AsyncSequence, Sendable {
        /// The type of a frame.
        public typealias Element = PlayerFrame
        /// The error type. The sequence never throws.
        public typealias Failure = Never

        let reader: MailboxReader<PlayerFrame>

        /// Creates an iterator, which shares the remaining frames with the sequence's other iterators.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over a presenter's frames.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<PlayerFrame>

            /// Returns the newest frame that has not been returned yet, or waits for one. Returns `nil` once the
            /// presenter has been released, or after a task was cancelled while it was waiting for a frame of this
            /// sequence.
            public mutating func next() async -> PlayerFrame? { await reader.next() }
        }
    }
}

extension Presenter {
    /// A handover between presenters that can be cancelled partway, for example when a user begins to drag a screen
    /// away and then drags it back.
    public final class Transition: Sendable {
        private let core: PlayerCore
        private let number: Int

        init(_ core: PlayerCore, _ number: Int) { (self.core, self.number) = (core, number) }

        /// Completes the transition. The new presenter stays active.
        public func finish() { core.endTransition(number, isCancelled: false) }

        /// Cancels the transition. The previous presenter takes over again, with the frame that is on screen. If that
        /// presenter no longer exists, the player has no presenter.
        public func cancel() { core.endTransition(number, isCancelled: true) }
    }
}

/// A hint for developers whose presenter shows nothing.
enum PresenterHint {
    static let text =
        "Scrub: a presenter was released before it showed a frame; no player retains it: keep it in a property"
    private static let wasSaid = Atomic(false)

    /// Prints the hint to standard error once. It is printed only in a debug build, because a screen may also be closed
    /// intentionally before its first frame.
    static func sayOnce() {
        guard isDebug, !wasSaid.exchange(true, ordering: .relaxed) else { return }
        let bytes = Array((text + "\n").utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static var isDebug: Bool {
        #if DEBUG
        true
        #else
        false
        #endif
    }
}
