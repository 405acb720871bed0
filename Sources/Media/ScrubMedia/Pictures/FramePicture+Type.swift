internal import ScrubLibAV

extension FramePicture {
    /// The coded picture's type by the decoder, such as `I`, `P` and `B`; `nil` if it gives none.
    package var typeName: String? { shared.frame.pictureType }
}
