internal import CScrubFFmpeg

extension Frame {
    /// The type of the coded picture according to the decoder, such as `I`, `P`, and `B`; `nil` if it does not report
    /// one.
    package var pictureType: String? {
        guard unsafe pointer.pointee.pict_type != AV_PICTURE_TYPE_NONE else { return nil }
        return unsafe String(UnicodeScalar(UInt8(bitPattern: av_get_picture_type_char(pointer.pointee.pict_type))))
    }

    /// Whether the decoder reports that the picture does not depend on any other, and also reports its type. Many
    /// decoders do neither, and mark every picture as a keyframe.
    package var isToldKey: Bool { isKey && pictureType == "I" }
    /// Whether the decoder's data allows the picture to be independent of all others.
    package var mayBeKey: Bool { isKey && (pictureType ?? "I") == "I" }
}
