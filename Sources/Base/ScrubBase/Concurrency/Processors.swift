internal import CScrubProcessors
internal import Glibc

/// The processors that this process may use.
package enum Processors {
    /// The number of processors, at least 1: those that are online, or fewer if `taskset`, a container's processor set
    /// or a batch system restricts them. Additional threads would wait for each other while each occupies a decoder's
    /// memory.
    package static let count: Int = {
        let allowed = Int(scrub_allowed_processors())
        return allowed > 0 ? allowed : max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }()
}
