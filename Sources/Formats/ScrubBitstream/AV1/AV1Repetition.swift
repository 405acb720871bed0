/// A temporal unit that shows the frame in a reference slot again.
///
/// It has no coded picture. Unless the frame is a key frame, a decoder outputs the picture that it already has and
/// changes nothing (AV1 7.21). A decoder that works on several pictures at once advances by one picture, so that
/// earlier pictures are output without a drain.
package enum AV1Repetition {
    /// Returns the unit for a slot, 0 to 7, in streams for which ``DependencyParser/canRepeat`` allows it.
    package static func temporalUnit(slot: Int) -> [UInt8] {
        // Two OBUs with sizes (5.3.2): a temporal delimiter, and a frame header of one byte with show_existing_frame 1,
        // frame_to_show_map_idx, and the trailing one bit (5.3.4).
        [0x12, 0x00, 0x1A, 0x01, UInt8(0x80 | (slot & 7) << 4 | 0x08)]
    }
}
