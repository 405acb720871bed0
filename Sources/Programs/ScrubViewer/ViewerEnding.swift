#if Viewer
internal import ScrubBase
internal import ServiceLifecycle

/// A way to end a server without a signal.
///
/// Thread safety: safe from any task.
final class ViewerEnd: Sendable {
    private let group = Locked<ServiceGroup?>(nil)

    /// Takes the services that are to be ended.
    func ends(_ group: ServiceGroup) { self.group.withLock { $0 = group } }

    /// Ends it as Ctrl-C does.
    func request() async { await group.withLock { $0 }?.triggerGracefulShutdown() }
}

/// Ends the server's work: it would wait for streams for ever, and for readers that take nothing as long as they may.
struct ViewerEnding: Service {
    /// Ends the work that never ends by itself.
    let atOnce: @Sendable () -> Void
    /// Ends the rest.
    let atLast: @Sendable () -> Void

    /// The longest time that requests under way may take.
    private static let grace = Duration.seconds(2)

    func run() async throws {
        let gate = AsyncHandover<Void>(capacity: 1)
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
        // Not part of the wait: with nothing under way it ends at once.
        let atLast = atLast
        Task.detached {
            try? await Task.sleep(for: ViewerEnding.grace)
            atLast()
        }
    }
}
#endif
