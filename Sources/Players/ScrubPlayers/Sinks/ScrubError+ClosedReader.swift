internal import Glibc
public import ScrubBase

extension ScrubError {
    /// Whether a reader closed its end of a pipe: it has seen enough, as `head` has, and nothing went wrong.
    public var isClosedByReader: Bool { systemError == .errno(EPIPE) }
}
