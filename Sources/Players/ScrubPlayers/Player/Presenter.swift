internal import Glibc
internal import ScrubBase
internal import ScrubPlayersLogic
internal import Synchronization

/// An object that shows a player's frames: a view, a layer, a screen.
///
/// Several presenters may share a player. Only the most recent one to claim it is active, like a first responder. When
/// a presenter takes over, it immediately holds the frame on screen, and presents from the next frame on. During a
/// handover, every frame is presented once, by one presenter. A released presenter resigns automatically. A presenter
/// that has resigned holds no picture.
///
/// ```swift
/// let presenter = Presenter { frame in draw(frame.picture) }
/// player.claim(presenter)
/// ```
///
/// Keep a reference to the presenter for as long as it should show frames, because players do not retain it. In a debug
/// build, the first presenter that is released before it showed a frame prints a hint to standard error.
///
/// Thread safety: safe from any thread. Memory: the frame that it shows.
public final class Presenter: Sendable {
    let slot: PresenterSlot<PlayerFrame>

    /// Creates a presenter that does not present anything yet.
    ///
    /// - Parameter onFrame: called with every frame for the presenter, in order, on one of the library's threads. It
    ///   should be quick, and must not retain the presenter. One call may still be in progress after ``resign()``.
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
    /// Whether this is the current presenter of a player.
    public var isCurrent: Bool { slot.isCurrent }
    /// The presenter's counters so far.
    public var counters: PresenterCounters { slot.counters }

    /// The frames to show: the current one first, if there is one, then every new one. A slow reader gets the newest
    /// frame, but the player counts all as presented.
    ///
    /// Each access returns a separate sequence. The sequence ends when the presenter is released, or when a task is
    /// cancelled while it waits for the next frame. Memory: one frame until it is taken or the sequence is released.
    public var frames: Presenter.Frames { Presenter.Frames(reader: slot.frames()) }

    /// Stops presenting, and releases its picture.
    public func resign() { slot.resign() }
}

extension Presenter {
    /// A presenter's frames as an asynchronous sequence (``Presenter/frames``).
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

        /// Creates an iterator, which continues where the sequence's other iterators are.
        public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

        /// An iterator over a presenter's frames.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: MailboxReader<PlayerFrame>

            /// Returns the newest frame that has not been returned yet, or waits for one. Returns `nil` after the end
            /// of the presenter, or after a task was cancelled while it waited for a frame of this sequence.
            public mutating func next() async -> PlayerFrame? { await reader.next() }
        }
    }
}

extension Presenter {
    /// A handover between presenters that can be cancelled partway, for example if a finger drags a screen away and
    /// back.
    public final class Transition: Sendable {
        private let core: PlayerCore
        private let number: Int

        init(_ core: PlayerCore, _ number: Int) { (self.core, self.number) = (core, number) }

        /// Completes the transition. The new presenter stays.
        public func finish() { core.endTransition(number, isCancelled: false) }

        /// Cancels the transition. The previous presenter takes over again, with the frame that is on screen. If it no
        /// longer exists, there is no presenter.
        public func cancel() { core.endTransition(number, isCancelled: true) }
    }
}

/// A hint for developers whose presenter shows nothing.
enum PresenterHint {
    static let text =
        "Scrub: a presenter was released before it showed a frame; players do not retain it: keep it in a property"
    private static let wasSaid = Atomic(false)

    /// Prints the hint to standard error once, and only in a debug build, because a screen may close before its first
    /// frame.
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
