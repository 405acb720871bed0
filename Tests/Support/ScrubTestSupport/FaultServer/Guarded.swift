import Foundation

/// A value under a lock, and a way to wait for it to become something.
///
/// `@unchecked Sendable`: the value is touched only between `lock` and `unlock`.
final class Guarded<Value>: @unchecked Sendable {
    private let condition = NSCondition()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Reads or changes the value, and wakes its waiters.
    func with<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return try body(&value)
    }

    /// Waits until the value is as wanted, without looking at a clock except for giving up.
    ///
    /// - Returns: whether it became so before `seconds` were over, which is a test's failure and not its pace.
    func wait(atMost seconds: Double, until isThere: (Value) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isThere(value) {
            guard condition.wait(until: end) else { return isThere(value) }
        }
        return true
    }
}
