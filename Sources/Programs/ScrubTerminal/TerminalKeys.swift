internal import Glibc
package import ScrubBase

/// Reads keys from a terminal on a separate thread.
///
/// Thread safety: safe from any thread. The thread ends with ``stop()``, with the last reference, and with the
/// terminal.
package final class TerminalKeys: Sendable {
    /// The milliseconds after Escape without further input after which it counts as the key itself, and not as the
    /// start of a sequence.
    private static let escapeTime: Int32 = 50

    // A pipe: a byte in it ends the thread.
    private let ear: Int32
    private let wake: Int32
    private let thread: Locked<DedicatedThread?>

    /// Starts reading.
    ///
    /// - Parameters:
    ///   - session: the terminal, which must have been entered; otherwise, keys arrive line by line.
    ///   - handler: called on the thread for every input; ``TerminalInput/closed`` is the last. It must not call
    ///     ``stop()``.
    /// - Throws: `inputOutput` if the system has no threads or descriptors left.
    package convenience init(
        _ session: TerminalSession, handler: @escaping @Sendable (TerminalInput) -> Void
    ) throws(ScrubError) {
        try self.init(descriptor: session.input, early: session.takeEarlyInput(), handler: handler)
    }

    /// - Parameter early: the input that arrived before.
    init(
        descriptor: Int32, early: [TerminalInput] = [], handler: @escaping @Sendable (TerminalInput) -> Void
    ) throws(ScrubError) {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else {
            throw ScrubError(.inputOutput, "a pipe for the keyboard thread cannot be created")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (ear, wake) = (ends[0], ends[1])
        (self.ear, self.wake) = (ear, wake)
        do throws(ScrubError) {
            let reader = try DedicatedThread {
                for input in early { handler(input) }
                TerminalKeys.read(descriptor, ear, handler)
            }
            thread = Locked(reader)
        } catch {
            close(ear)
            close(wake)
            throw error
        }
    }

    deinit {
        stop()
        close(ear)
        close(wake)
    }

    /// Stops reading and waits for the thread. No input is delivered after this returns.
    package func stop() {
        guard let reader = thread.exchange(\.self, for: nil) else { return }
        var byte: UInt8 = 1
        _ = unsafe write(wake, &byte, 1)
        reader.join()
    }

    private static func read(_ descriptor: Int32, _ ear: Int32, _ handler: (TerminalInput) -> Void) {
        var parser = TerminalParser()
        var bytes = [UInt8](repeating: 0, count: 1024)
        func hand(_ items: [TerminalParser.Item]) {
            for item in items {
                switch item {
                case .key(let key): handler(.key(key))
                case .mouse(let mouse): handler(.mouse(mouse))
                // A late answer.
                case .reply: break
                }
            }
        }
        while true {
            var wanted = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: ear, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&wanted, 2, parser.isUnfinished ? escapeTime : -1)
            if ready < 0, errno == EINTR { continue }
            if wanted[1].revents != 0 { return }
            if ready == 0 {
                hand(parser.flush())
                continue
            }
            let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { break }
            hand(parser.feed(bytes.prefix(count)))
        }
        hand(parser.flush())
        handler(.closed)
    }
}
