extension FramePicture {
    /// Options for presenting a picture, both for files (``FramePicture/encoded(as:options:quality:)``) and for pixels
    /// in memory (``FramePicture/pixels(_:alpha:options:)``,
    /// ``FramePicture/write(_:alpha:options:into:bytesPerRow:)-(_,_,_,MutableRawSpan,_)``).
    public struct Options: Sendable, Hashable {
        /// Whether to crop the picture to its clean aperture, rotate it upright and make its pixels square. If false,
        /// the stored pixel grid stays as it is. Default true.
        public var appliesGeometry: Bool
        /// The size of the result. Default ``FramePicture/Size/natural``.
        public var size: FramePicture.Size
        /// How to handle high dynamic range. Default ``FramePicture/DynamicRangePolicy/forceSDR``.
        public var dynamicRange: FramePicture.DynamicRangePolicy
        /// The color behind transparent pixels. `nil`, the default, keeps alpha if the result supports it. If the
        /// result does not support alpha (JPEG, layouts without alpha), `nil` means black.
        public var background: RGBColor?
        /// Whether to show only the first field of an interlaced picture, with the missing rows interpolated along
        /// edges. Otherwise, a picture at its own size shows both fields as stored, although they were captured at
        /// different times. This option has no effect on progressive pictures. Default false.
        public var deinterlaces = false

        /// Creates options. By default, the picture is cropped to its clean aperture, rotated upright, and converted to
        /// square pixels and standard dynamic range. It is not scaled to another size.
        public init(
            appliesGeometry: Bool = true, size: FramePicture.Size = .natural,
            dynamicRange: FramePicture.DynamicRangePolicy = .forceSDR,
            background: RGBColor? = nil
        ) {
            (self.appliesGeometry, self.size) = (appliesGeometry, size)
            (self.dynamicRange, self.background) = (dynamicRange, background)
        }
    }
}

extension FramePicture {
    /// How to handle pictures that have high dynamic range (PQ, HLG) or BT.2020's wide color gamut.
    ///
    /// The policy does not affect other pictures. It is named after AVFoundation's
    /// `AVAssetImageGenerator.DynamicRangePolicy`.
    public enum DynamicRangePolicy: String, Sendable, Hashable, CaseIterable {
        /// Converts pictures to 8-bit sRGB, which every viewer can show: tone-mapped with white at 203 nits (BT.2408,
        /// BT.2390), with wide colors mapped into the BT.709 gamut.
        case forceSDR
        /// Keeps the sample values, with the source's primaries and transfer: 16 bits in PNG and 10 in AVIF, both
        /// tagged. Encoding as JPEG or WebP fails. For pixels in memory, ``PixelImage/Properties/transfer`` has the
        /// transfer function.
        case matchSource
    }
}

extension FramePicture {
    /// The size of a picture.
    ///
    /// Downscaling averages areas of pixels, in linear light for high dynamic range. An interlaced picture that is
    /// downscaled shows only its first field, with the missing rows filled in, as in thumbnails. At its own size, an
    /// interlaced picture shows both fields as stored, unless ``FramePicture/Options/deinterlaces`` is true.
    public enum Size: Sendable, Hashable {
        /// The picture's own size: upright and with square pixels unless ``FramePicture/Options/appliesGeometry``
        /// is false.
        case natural
        /// Exactly these dimensions, whatever the aspect ratio.
        case exact(width: Int, height: Int)
        /// This width, even if it is larger than the picture's. The height follows from the aspect ratio and is even.
        case width(Int)
        /// This height, even if it is larger than the picture's. The width follows from the aspect ratio and is even.
        case height(Int)
        /// The largest size that fits into a box but is not larger than the picture, like AVFoundation's `maximumSize`.
        /// A side of 0 means no limit. The side that follows from the aspect ratio is rounded to the nearest integer.
        case maximum(width: Int, height: Int)
    }
}
