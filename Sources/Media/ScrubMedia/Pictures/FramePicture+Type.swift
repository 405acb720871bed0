internal import ScrubLibAV

extension FramePicture {
    /// The coded picture's type according to the decoder, such as `I`, `P` and `B`; `nil` if the decoder reports none.
    package var typeName: String? { shared.frame.pictureType }
}
