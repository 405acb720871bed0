internal import Glibc

/// A pause of a hundredth of a second, for work that another process does in less.
package enum BriefPause {
    package static func take() { usleep(10_000) }
}
