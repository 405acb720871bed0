internal import Glibc

/// A pause of a hundredth of a second, for work that another process completes in less time.
package enum PollingDelay {
    package static func take() { usleep(10_000) }
}
