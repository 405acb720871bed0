package import ScrubBase

/// Bytes of a playlist's segments, joined: players count the time of a playlist from its own beginning, whatever the
/// segments' times are.
package protocol SegmentedSource: ByteSource {}
