package import ScrubBitstream

/// The properties of one coded picture in the index, in sixteen bits.
package struct PictureFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The container marks the picture as a keyframe (sync sample).
    package static let key = PictureFlags(rawValue: 1 << 0)
    /// The picture is decoded and never shown: alt-ref pictures, `show_frame` 0, `pic_output_flag` 0, packets without a
    /// picture.
    package static let hidden = PictureFlags(rawValue: 1 << 1)
    /// The container requires the picture to be decoded but not shown (edit list, discard flag).
    package static let discarded = PictureFlags(rawValue: 1 << 2)
    /// No other picture depends on this one.
    package static let disposable = PictureFlags(rawValue: 1 << 3)
    /// The second field of the frame whose first field is in the previous packet.
    package static let secondField = PictureFlags(rawValue: 1 << 4)
    /// The picture cannot be decoded: its references are not in the file.
    package static let undecodable = PictureFlags(rawValue: 1 << 5)
    /// The picture's bytes are beyond the end of the file.
    package static let missing = PictureFlags(rawValue: 1 << 6)
    /// Bits 8 to 10 hold a verified ``RandomAccess``; without this bit they are an unverified claim of the container.
    package static let verified = PictureFlags(rawValue: 1 << 7)

    /// The container reports that bytes of the picture are lost or wrong (`AV_PKT_FLAG_CORRUPT`). An example is a gap
    /// in a transport stream's continuity counter, or its error indicator (ISO/IEC 13818-1 2.4.3.3).
    package static let corrupt = PictureFlags(rawValue: 1 << 15)

    /// The picture's position among the frames is uncertain. Either pictures before it are lost and the container's
    /// times contradict the order counts, or it arrives too late and decoders drop it.
    package static let misplaced = PictureFlags(rawValue: 1 << 14)

    private static let accessShift = 8

    /// The kind of restart that is possible at the picture.
    package var randomAccess: RandomAccess {
        RandomAccess(rawValue: UInt8(rawValue >> PictureFlags.accessShift & 7)) ?? .none
    }

    /// Returns the same flags with another restart kind.
    package func with(_ access: RandomAccess) -> PictureFlags {
        let cleared = rawValue & ~(7 << PictureFlags.accessShift)
        return PictureFlags(rawValue: cleared | UInt16(access.rawValue) << PictureFlags.accessShift)
    }

    /// Flags that prevent a decodable picture from having a frame number.
    package static let notPresented: PictureFlags = [
        .hidden, .discarded, .secondField, .undecodable, .missing,
    ]
}
