package import ScrubBase

/// A source of the joined bytes of a playlist's segments. Players count a playlist's time from 0, whatever the
/// segments' timestamps are.
package protocol SegmentedSource: ByteSource {}
