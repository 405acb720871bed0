import ScrubTestClips
import Testing

/// A test's arguments are named by their file.
extension Clip: CustomTestStringConvertible {}
