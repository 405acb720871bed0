internal import ScrubBase

/// The machine as a batch may use it: processors and bytes that are lent and returned.
///
/// Waiting callers are served in order, so small films cannot overtake a large one forever.
///
/// `@unchecked Sendable`: everything is accessed only in the monitor.
@safe final class BatchGate: @unchecked Sendable {
    private let monitor = Monitor()
    private let coreLimit: Int
    let byteLimit: Int
    private var cores: Int
    private var bytes = 0
    private var peakBytes = 0
    private var nextTicket = (core: 0, byte: 0)
    private var served = (core: 0, byte: 0)

    init(cores: Int, bytes: Int) {
        (coreLimit, byteLimit, self.cores) = (max(1, cores), max(1, bytes), max(1, cores))
    }

    /// Waits for processors; the caller must hold none.
    ///
    /// - Returns: the number of cores: the requested one, or all.
    func takeCores(_ wanted: Int) -> Int {
        monitor.locked {
            let count = min(max(1, wanted), coreLimit)
            let ticket = nextTicket.core
            nextTicket.core += 1
            while served.core != ticket || cores < count { monitor.wait() }
            served.core += 1
            cores -= count
            monitor.tell()
            return count
        }
    }

    /// Takes more processors if they are free and no other caller is waiting for them.
    ///
    /// - Returns: the number of cores.
    func takeFreeCores(_ wanted: Int) -> Int {
        monitor.locked {
            guard served.core == nextTicket.core else { return 0 }
            let count = min(max(0, wanted), cores)
            cores -= count
            return count
        }
    }

    func giveCores(_ count: Int) {
        monitor.locked {
            cores += count
            monitor.tell()
        }
    }

    /// Waits for bytes; the caller must hold none.
    ///
    /// - Parameter wanted: at most ``byteLimit``.
    /// - Returns: the bytes to return later.
    func takeBytes(_ wanted: Int) -> Int {
        monitor.locked {
            let count = min(max(0, wanted), byteLimit)
            let ticket = nextTicket.byte
            nextTicket.byte += 1
            while served.byte != ticket || bytes > byteLimit - count { monitor.wait() }
            served.byte += 1
            bytes += count
            peakBytes = max(peakBytes, bytes)
            monitor.tell()
            return count
        }
    }

    func giveBytes(_ count: Int) {
        monitor.locked {
            bytes -= count
            monitor.tell()
        }
    }

    /// The most bytes lent at any one time.
    var peak: Int { monitor.locked { peakBytes } }
}
