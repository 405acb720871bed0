package import ScrubIndex
package import ScrubLibAV
internal import ScrubPictures

extension FrameIndex {
    /// Returns the picture of a video's preview: exactly that frame, reduced and lossily compressed.
    ///
    /// Cost: half a millisecond for 640 samples.
    ///
    /// - Parameter preview: the preview's bytes, which are not trusted.
    /// - Returns: the picture; `nil` if the bytes are not a valid preview of this stream, or if memory is short.
    package func picture(ofPreview preview: [UInt8], in allocator: FrameAllocator) -> SharedFrame? {
        facts.descriptions.first.flatMap { PreviewCoder.decode(preview, limits: $0, in: allocator) }
    }

    /// Returns a coder for the video's previews, for one thread.
    ///
    /// - Parameter allocator: the allocator of the reduced pictures; `nil` for the coder's own memory.
    func previewCoder(_ recipe: PreviewCoder.Recipe, in allocator: FrameAllocator?) -> PreviewCoder {
        PreviewCoder(
            recipe, codec: facts.descriptions.first, cleanAperture: facts.cleanAperture, allocator: allocator)
    }
}
