internal import ScrubBase

/// A value that is made once, while several callers wait for it.
///
/// A cancelled caller leaves. When the last one has left, the work is cancelled, and the next caller starts again. A
/// failure also makes the next caller start again.
///
/// Thread safety: safe from any task.
final class SharedLoad<Value: Sendable>: Sendable {
    enum Status: Sendable {
        case unloaded, loading
        case loaded(Value)
        case failed(ScrubError)
    }

    private struct Run {
        let number: Int
        var task: Task<Void, Never>?
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    }

    private struct State {
        /// The status, which is loading during a run.
        var settled = Status.unloaded
        var run: Run?
        var lastNumber = 0
        /// Callers that were cancelled before they waited.
        var gone: Set<Int> = []

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state: Locked<State>
    private let work: @Sendable () async throws -> Value

    /// Creates an unloaded value.
    ///
    /// - Parameter work: makes the value; throws ``ScrubError``, or `CancellationError` if its task was cancelled.
    init(_ work: @escaping @Sendable () async throws -> Value) {
        self.work = work
        state = Locked(State())
    }

    /// Creates a value that is already loaded.
    init(loaded value: Value) {
        work = { value }
        state = Locked(State(settled: .loaded(value)))
    }

    var status: Status { state.withLock { $0.run == nil ? $0.settled : .loading } }

    /// The value; `nil` until it is loaded.
    var loaded: Value? {
        guard case .loaded(let value) = status else { return nil }
        return value
    }

    /// Returns the value, making it if necessary.
    ///
    /// - Throws: ``ScrubError``, or `CancellationError` if the caller's task was cancelled.
    func value() async throws -> Value {
        if let loaded { return loaded }
        try Task.checkCancellation()
        let caller = state.withLock { $0.nextNumber() }
        defer { state.withLock { _ = $0.gone.remove(caller) } }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(caller, $0) }
        } onCancel: {
            leave(caller)
        }
    }

    private func wait(_ caller: Int, _ continuation: CheckedContinuation<Value, any Error>) {
        let answer = state.withLock { state -> Result<Value, any Error>? in
            if state.gone.remove(caller) != nil { return .failure(CancellationError()) }
            if state.run == nil {
                if case .loaded(let value) = state.settled { return .success(value) }
                let number = state.nextNumber()
                (state.settled, state.run) = (.unloaded, Run(number: number))
                state.run?.task = Task { [self] in await perform(number) }
            }
            state.run?.waiters[caller] = continuation
            return nil
        }
        if let answer { continuation.resume(with: answer) }
    }

    private func leave(_ caller: Int) {
        let (waiter, abandoned) = state.withLock { state in
            guard let waiter = state.run?.waiters.removeValue(forKey: caller) else {
                // The caller is not waiting yet, or already has its answer.
                state.gone.insert(caller)
                return (nil as CheckedContinuation<Value, any Error>?, nil as Task<Void, Never>?)
            }
            guard state.run?.waiters.isEmpty == true else { return (waiter, nil) }
            defer { state.run = nil }
            return (waiter, state.run?.task)
        }
        abandoned?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    private func perform(_ number: Int) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        let waiters = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
            // No caller is waiting for an abandoned run.
            guard let run = state.run, run.number == number else { return [] }
            state.run = nil
            switch result {
            case .success(let value): state.settled = .loaded(value)
            case .failure(let error as ScrubError): state.settled = .failed(error)
            case .failure: state.settled = .unloaded
            }
            return Array(run.waiters.values)
        }
        for waiter in waiters { waiter.resume(with: result) }
    }
}
