internal import Glibc
internal import ScrubPlayersLogic
internal import Synchronization

/// The presenter of a player's frames: a view, a layer, a screen.
///
/// Several presenters may share a player. Only the one that claimed it last is active, like a first responder. When a
/// presenter takes over, it immediately holds the frame on screen, and presents from the next frame on. During a
/// handover every frame is presented once, by one presenter. A released presenter resigns automatically. A presenter
/// that has resigned holds no picture.
///
/// ```swift
/// let presenter = Presenter { frame in draw(frame.picture) }
/// player.claim(presenter)
/// ```
///
/// Keep a reference while it should show frames, because players do not. In a debug build, the first presenter that is
/// released before it showed a frame prints a hint to standard error.
///
/// Thread safety: safe from any thread. Memory: the frame that it shows.
public final class Presenter: Sendable {
    let slot: PresenterSlot<PlayerFrame>

    /// Makes a presenter that presents nothing yet.
    ///
    /// - Parameter onFrame: called with every frame that is put before it, in order, on a thread of the library's: it
    ///   should be quick. After ``resign()`` one call may still be under way. Do not keep the presenter in it.
    public convenience init(onFrame: (@Sendable (PlayerFrame) -> Void)? = nil) { self.init(.newest, onFrame) }

    package init(_ mode: PresenterSlot<PlayerFrame>.Mode, _ onFrame: (@Sendable (PlayerFrame) -> Void)? = nil) {
        slot = PresenterSlot(mode)
        slot.listen(onFrame)
    }

    deinit {
        if slot.isCurrent, slot.frame == nil { PresenterHint.sayOnce() }
        slot.close()
    }

    /// The frame that it shows now; `nil` when it presents nothing.
    public var frame: PlayerFrame? { slot.frame }
    /// A Boolean value that indicates whether this is a player's current presenter.
    public var isCurrent: Bool { slot.isCurrent }
    /// Counts of its work so far.
    public var counters: PresenterCounters { slot.counters }

    /// The frames that it shows, for one consumer that takes the newest: frames that come while it is busy are skipped
    /// here, not in the player's counts.
    public var frames: AsyncStream<PlayerFrame> { slot.frames() }

    /// Gives the presenting back, and releases its picture.
    public func resign() { slot.resign() }
}

extension Presenter {
    /// A hand-over between presenters that may be called off half-way, as when a finger drags a screen away and back.
    public final class Transition: Sendable {
        private let core: PlayerCore
        private let number: Int

        init(_ core: PlayerCore, _ number: Int) { (self.core, self.number) = (core, number) }

        /// The new presenter stays.
        public func finish() { core.endTransition(number, isCancelled: false) }

        /// The previous presenter takes over again, with the frame that is on screen. If it is gone by then, no
        /// presenter remains.
        public func cancel() { core.endTransition(number, isCancelled: true) }
    }
}

/// A hint for developers whose presenter shows nothing.
enum PresenterHint {
    static let text =
        "Scrub: a presenter was released before it showed a frame; a player does not keep it: keep it in a property"
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
