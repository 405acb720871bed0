#if Viewer
internal import ScrubBase
internal import ServiceLifecycle

/// A way to end a server without a signal.
///
/// Thread safety: safe from any task.
final class ViewerEnd: Sendable {
    private let group = Locked<ServiceGroup?>(nil)

    /// Sets the services to end.
    func ends(_ group: ServiceGroup) { self.group.withLock { $0 = group } }

    /// Ends the server as Ctrl-C does.
    func request() async { await group.withLock { $0 }?.triggerGracefulShutdown() }
}

/// Ends the server's work, which would otherwise wait forever for streams, and as long as permitted for stalled
/// readers.
struct ViewerEnding: Service {
    /// Ends the work that never ends by itself.
    let atOnce: @Sendable () -> Void
    /// Ends the rest.
    let atLast: @Sendable () -> Void

    /// The maximum time for requests in progress.
    private static let grace = Duration.seconds(2)

    func run() async throws {
        let gate = BoundedAsyncQueue<Void>(capacity: 1)
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                _ = await gate.next()
            } onGracefulShutdown: {
                gate.leave()
            }
        } onCancel: {
            gate.leave()
        }
        atOnce()
        // Not part of the wait: with nothing in progress, it ends at once.
        let atLast = atLast
        Task.detached {
            try? await Task.sleep(for: ViewerEnding.grace)
            atLast()
        }
    }
}
#endif
