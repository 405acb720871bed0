internal import CScrubProcessors
internal import Glibc

/// The processors that this process may use.
package enum Processors {
    /// The number of processors, at least 1. These are the ones that are online, or fewer if `taskset`, a container's
    /// set of processors or a batch system allows only some. Threads beyond them would wait for each other, each with a
    /// decoder's memory.
    package static let count: Int = {
        let allowed = Int(scrub_allowed_processors())
        return allowed > 0 ? allowed : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }()
}
