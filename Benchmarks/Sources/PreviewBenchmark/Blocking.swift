import Dispatch
import Scrub
import Synchronization

/// A value under a lock.
final class Guarded<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in body(&value) }
    }
}

extension ScrubSession {
    /// Makes the previews around a frame, and blocks until all are there that have room.
    ///
    /// - Parameter count: gives up the making of more as soon as so many are there.
    func makePreviews(around frame: Int, upTo count: Int = .max) {
        let gate = DispatchSemaphore(value: 0)
        Task {
            try? await self.preparePreviews(aroundFrame: frame)
            gate.signal()
        }
        guard count < .max, previews != nil else { return gate.wait() }
        while gate.wait(timeout: .now() + .milliseconds(2)) == .timedOut {
            // Ends the waiting too.
            if let previews, previews.frameCount >= count { cancelPendingRequest() }
        }
    }
}

/// A number for people who read JSON.
func rounded(_ value: Double, _ places: Int = 1) -> Double {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    return (value * scale).rounded() / scale
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15
    }
}
