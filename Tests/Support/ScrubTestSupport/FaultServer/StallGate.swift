import Foundation

/// A place at which answers stand still until a test lets them go on, or until the other side hangs up.
package final class StallGate: Sendable {
    /// `POLLRDHUP`: the other side writes nothing any more. Swift does not see the name.
    private static let hungUp: Int16 = 0x2000

    /// A pipe that is readable for ever once something was written to it.
    private let (outlet, inlet): (Int32, Int32)
    private let arrivals = Guarded(0)

    package init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (outlet, inlet) = (ends[0], ends[1])
    }

    deinit {
        close(outlet)
        close(inlet)
    }

    /// Lets go on who stands here now and who comes later.
    package func release() {
        var one: UInt8 = 1
        _ = write(inlet, &one, 1)
    }

    /// The number of answers that came here so far.
    package var arrivalCount: Int { arrivals.with { $0 } }

    /// Waits until that many answers came here; false when they did not within ten seconds.
    @discardableResult
    package func waitForArrivals(_ count: Int = 1) -> Bool {
        arrivals.wait(atMost: 10) { $0 >= count }
    }

    /// Waits until that many answers came here, however long that takes, on a thread of its own: the task's may be the
    /// one that the answers need.
    package func arrival(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                while !self.waitForArrivals(count) {}
                continuation.resume()
            }
        }
    }

    /// Stands still.
    ///
    /// - Parameter milliseconds: a pause that ends by itself, or -1.
    /// - Returns: whether the connection is still there.
    func stand(_ socket: Int32, milliseconds: Int32 = -1) -> Bool {
        if milliseconds < 0 { arrivals.with { $0 += 1 } }
        var watched = [
            pollfd(fd: socket, events: Self.hungUp, revents: 0),
            pollfd(fd: outlet, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            if poll(&watched, 2, milliseconds) < 0 && errno == EINTR { continue }
            return watched[0].revents == 0
        }
    }
}
