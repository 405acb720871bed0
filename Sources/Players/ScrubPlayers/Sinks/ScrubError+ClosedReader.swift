internal import Glibc
public import ScrubBase

extension ScrubError {
    /// Whether the error occurred because a reader closed its end of a pipe, as `head` does when it has read enough.
    /// Such an error is not a failure.
    public var isClosedByReader: Bool { systemError == .errno(EPIPE) }
}
