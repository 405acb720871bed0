package import ScrubBase

/// The joined bytes of a playlist's segments. Players count a playlist's time from 0, whatever the segments' timestamps
/// are.
package protocol SegmentedSource: ByteSource {}
