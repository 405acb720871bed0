internal import Glibc
internal import ScrubBase

/// The machine as a batch may use it: processors and bytes that are lent and come back.
///
/// Waiting callers are served in order, so a large film is not passed for ever by small ones.
///
/// `@unchecked Sendable`: everything is touched only under the mutex.
@safe final class BatchGate: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private let coreLimit: Int
    let byteLimit: Int
    private var cores: Int
    private var bytes = 0
    private var peakBytes = 0
    private var nextTicket = (core: 0, byte: 0)
    private var served = (core: 0, byte: 0)

    init(cores: Int, bytes: Int) {
        (coreLimit, byteLimit, self.cores) = (max(1, cores), max(1, bytes), max(1, cores))
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe changed = .allocate(capacity: 1)
        unsafe changed.initialize(to: pthread_cond_t())
        let status = unsafe pthread_mutex_init(mutex, nil) + pthread_cond_init(changed, nil)
        precondition(status == 0, "no mutex: \(status)")
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    private func locked<R>(_ body: () -> R) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Waits for processors; the caller must hold none.
    ///
    /// - Returns: the number of cores: the requested one, or all.
    func takeCores(_ wanted: Int) -> Int {
        locked {
            let count = min(max(1, wanted), coreLimit)
            let ticket = nextTicket.core
            nextTicket.core += 1
            while served.core != ticket || cores < count { unsafe pthread_cond_wait(changed, mutex) }
            served.core += 1
            cores -= count
            unsafe pthread_cond_broadcast(changed)
            return count
        }
    }

    /// Takes more processors if they are free and no other caller waits for them.
    ///
    /// - Returns: the number of cores.
    func takeFreeCores(_ wanted: Int) -> Int {
        locked {
            guard served.core == nextTicket.core else { return 0 }
            let count = min(max(0, wanted), cores)
            cores -= count
            return count
        }
    }

    func giveCores(_ count: Int) {
        locked {
            cores += count
            unsafe pthread_cond_broadcast(changed)
        }
    }

    /// Waits for bytes; the caller must hold none.
    ///
    /// - Parameter wanted: at most ``byteLimit``.
    /// - Returns: the bytes to give back.
    func takeBytes(_ wanted: Int) -> Int {
        locked {
            let count = min(max(0, wanted), byteLimit)
            let ticket = nextTicket.byte
            nextTicket.byte += 1
            while served.byte != ticket || bytes > byteLimit - count { unsafe pthread_cond_wait(changed, mutex) }
            served.byte += 1
            bytes += count
            peakBytes = max(peakBytes, bytes)
            unsafe pthread_cond_broadcast(changed)
            return count
        }
    }

    func giveBytes(_ count: Int) {
        locked {
            bytes -= count
            unsafe pthread_cond_broadcast(changed)
        }
    }

    /// The most bytes that were lent at a time.
    var peak: Int { locked { peakBytes } }
}
