internal import Glibc

/// The machine's processors.
package enum Processors {
    /// How many are online, at least 1.
    package static let count = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
}
