/// Examines the positions of the slices in an MPEG-1 or MPEG-2 packet. A slice below the picture, or one without bytes,
/// makes libavcodec give up within a picture that it has begun (mpeg12dec.c, `decode_chunks`).
struct MPEGSliceWalk {
    /// Whether there was a slice before a decoder gives up, so that it has begun a picture.
    private(set) var hasBegun = false
    /// Whether a decoder gives up.
    private(set) var hasFailed = false

    /// Processes a slice.
    ///
    /// - Parameters:
    ///   - place: the offset of the slice's start code value in the packet.
    ///   - structure: the structure of the slice's picture.
    mutating func take(
        _ packet: Span<UInt8>, at place: Int, _ structure: CodedPicture.Structure, of sequence: MPEGSequence
    ) {
        // The bytes after the error are not inspected.
        guard !hasFailed, sequence.height > 0 else { return }
        hasFailed = true
        // libavcodec drops a picture with fewer bytes than its macroblocks need (`mpeg_field_start`).
        guard hasBegun || packet.count >= sequence.macroblockRows * ((sequence.width + 15) / 16) * 11 / 528 else {
            return
        }
        guard packet.count - place > 2 else { return }
        var row = Int(packet[place]) - 1
        let rows = sequence.macroblockRows
        // slice_vertical_position_extension (H.262 6.3.16), in the cases in which libavcodec reads it.
        if sequence.isExtended, rows > 175 { row += Int(packet[place + 1] & 0xE0) << 2 }
        if structure != .frame { row = 2 * row + (structure == .bottomField ? 1 : 0) }
        guard row < rows else { return }
        (hasBegun, hasFailed) = (true, false)
    }
}
