internal import Glibc
public import ScrubBase

extension ScrubError {
    /// Whether a reader closed its end of a pipe, as `head` does when it has read enough. This is not a failure.
    public var isClosedByReader: Bool { systemError == .errno(EPIPE) }
}
