internal import CScrubFFmpeg
package import ScrubBase

extension Frame {
    /// Returns a part of the picture, in the same memory.
    ///
    /// If chroma is subsampled and the part begins between two of its samples, chroma is shifted by one luma sample.
    /// The first column of paletted pictures and bit streams is not moved.
    package func cropped(to area: CleanAperture) throws(AVError) -> Frame {
        let result = try Frame()
        try unsafe check(av_frame_ref(result.pointer, pointer), "av_frame_ref")
        unsafe result.pointer.pointee.crop_left = area.left
        unsafe result.pointer.pointee.crop_top = area.top
        unsafe result.pointer.pointee.crop_right = area.codedWidth - area.left - area.width
        unsafe result.pointer.pointee.crop_bottom = area.codedHeight - area.top - area.height
        try unsafe check(
            av_frame_apply_cropping(result.pointer, Int32(AV_FRAME_CROP_UNALIGNED)), "av_frame_apply_cropping")
        return result
    }
}

extension SharedFrame {
    /// Returns the visible part of the picture, in the same memory. Without an aperture, or with one for another size,
    /// it is the picture itself.
    package func cropped(to area: CleanAperture?) throws(AVError) -> SharedFrame {
        guard let area, area.fits(width: frame.width, height: frame.height) else { return self }
        return SharedFrame(try frame.cropped(to: area))
    }
}
