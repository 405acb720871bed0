package import ScrubBitstream

/// The index's facts of one coded picture, in sixteen bits.
package struct PictureFlags: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The container calls it a keyframe (sync sample).
    package static let key = PictureFlags(rawValue: 1 << 0)
    /// It is decoded and never shown: alt-ref pictures, `show_frame` 0, `pic_output_flag` 0, packets without a picture.
    package static let hidden = PictureFlags(rawValue: 1 << 1)
    /// The container wants it decoded and not shown (edit list, discard flag).
    package static let discarded = PictureFlags(rawValue: 1 << 2)
    /// No other picture depends on it.
    package static let disposable = PictureFlags(rawValue: 1 << 3)
    /// The second field of the frame whose first field is the packet before it.
    package static let secondField = PictureFlags(rawValue: 1 << 4)
    /// No decoder can make it: its references are not in the file.
    package static let undecodable = PictureFlags(rawValue: 1 << 5)
    /// Its bytes lie beyond the end of the file.
    package static let missing = PictureFlags(rawValue: 1 << 6)
    /// The bits 8 to 10 hold a verified ``RandomAccess``; without this bit they are the container's unproven claim.
    package static let verified = PictureFlags(rawValue: 1 << 7)

    /// The container knows that bytes of it are lost or wrong (`AV_PKT_FLAG_CORRUPT`). An example is a gap in a
    /// transport stream's continuity counter, or its error indicator (ISO/IEC 13818-1 2.4.3.3).
    package static let corrupt = PictureFlags(rawValue: 1 << 15)

    /// Its place among the frames is not certain. Either pictures before it are lost, and the container's times
    /// contradict the order counts. Or it comes too late, and decoders drop it.
    package static let misplaced = PictureFlags(rawValue: 1 << 14)

    private static let accessShift = 8

    /// The kind of restart that is possible here.
    package var randomAccess: RandomAccess {
        RandomAccess(rawValue: UInt8(rawValue >> PictureFlags.accessShift & 7)) ?? .none
    }

    /// Returns the same flags with another restart kind.
    package func with(_ access: RandomAccess) -> PictureFlags {
        let cleared = rawValue & ~(7 << PictureFlags.accessShift)
        return PictureFlags(rawValue: cleared | UInt16(access.rawValue) << PictureFlags.accessShift)
    }

    /// Flags that keep a decodable picture from having a frame number.
    package static let notPresented: PictureFlags = [
        .hidden, .discarded, .secondField, .undecodable, .missing,
    ]
}
