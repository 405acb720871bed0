package import ScrubIndex
package import ScrubLibAV
internal import ScrubPictures

extension FrameIndex {
    /// Returns the picture of one of the film's previews: that very frame, reduced and coded with loss.
    ///
    /// Cost: half a millisecond for 640 samples.
    ///
    /// - Parameter preview: bytes that need not be believed.
    /// - Returns: `nil` if the bytes are not a sound preview of this stream, or memory is short.
    package func picture(ofPreview preview: [UInt8], in allocator: FrameAllocator) -> SharedFrame? {
        facts.descriptions.first.flatMap { PreviewCoder.decode(preview, limits: $0, in: allocator) }
    }

    /// Returns a coder of the film's previews, for one thread.
    ///
    /// - Parameter allocator: of the reduced pictures; `nil` for memory of the coder's own.
    func previewCoder(_ recipe: PreviewCoder.Recipe, in allocator: FrameAllocator?) -> PreviewCoder {
        PreviewCoder(
            recipe, codec: facts.descriptions.first, cleanAperture: facts.cleanAperture, allocator: allocator)
    }
}
