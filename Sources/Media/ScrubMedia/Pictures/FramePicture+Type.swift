internal import ScrubLibAV

extension FramePicture {
    /// The coded picture's type as the decoder tells it, such as `I`, `P` and `B`; `nil` where it tells none.
    package var typeName: String? { shared.frame.pictureType }
}
