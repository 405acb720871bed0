internal import CScrubFFmpeg

extension Frame {
    /// The coded picture's type by the decoder, such as `I`, `P` and `B`; `nil` if it gives none.
    package var pictureType: String? {
        guard unsafe pointer.pointee.pict_type != AV_PICTURE_TYPE_NONE else { return nil }
        return unsafe String(UnicodeScalar(UInt8(bitPattern: av_get_picture_type_char(pointer.pointee.pict_type))))
    }

    /// Whether the decoder says that the picture depends on no other, and says its type too. Many decoders do neither,
    /// and then every picture is called a key picture.
    package var isToldKey: Bool { isKey && pictureType == "I" }
    /// Whether nothing that the decoder says of the picture speaks against its depending on no other.
    package var mayBeKey: Bool { isKey && (pictureType ?? "I") == "I" }
}
