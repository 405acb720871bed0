internal import CFFmpeg

extension Frame {
    /// The coded picture's type as the decoder tells it, such as `I`, `P` and `B`; `nil` where it tells none.
    package var pictureType: String? {
        guard unsafe pointer.pointee.pict_type != AV_PICTURE_TYPE_NONE else { return nil }
        return unsafe String(UnicodeScalar(UInt8(bitPattern: av_get_picture_type_char(pointer.pointee.pict_type))))
    }
}
