extension FramePicture {
    /// The presentation of a picture, for files (``FramePicture/encoded(as:options:quality:)``,
    /// ``FramePicture/png(_:)``) and for pixels in memory (``FramePicture/pixels(_:alpha:options:)``,
    /// ``FramePicture/write(_:alpha:options:into:bytesPerRow:)-(_,_,_,MutableRawSpan,_)``) alike.
    public struct Options: Sendable, Hashable {
        /// Leaves the stored pixel grid as it is: no clean aperture, no rotation, no square pixels. Default false.
        public var rawGeometry: Bool
        /// The size of the result. Default the picture's own size.
        public var size: FramePicture.Size
        /// The treatment of high dynamic range. Default ``FramePicture/DynamicRangePolicy/forceSDR``.
        public var dynamicRange: FramePicture.DynamicRangePolicy
        /// The color behind transparent pixels. `nil`, the default, keeps alpha where the result can have it, and is
        /// black where it cannot: in JPEG, and in layouts without alpha.
        public var background: RGBColor?
        /// Whether an interlaced picture shows only its first field, with the missing rows interpolated along edges.
        /// Otherwise a picture at its own size shows both fields as they are stored, from two moments. No effect on
        /// other pictures. Default false.
        public var deinterlaces = false

        /// Makes options. By default the picture is cropped to its clean aperture, upright, has square pixels and its
        /// own size, and is shown as standard dynamic range.
        public init(
            rawGeometry: Bool = false, size: FramePicture.Size = .natural,
            dynamicRange: FramePicture.DynamicRangePolicy = .forceSDR,
            background: RGBColor? = nil
        ) {
            (self.rawGeometry, self.size) = (rawGeometry, size)
            (self.dynamicRange, self.background) = (dynamicRange, background)
        }
    }
}

extension FramePicture {
    /// The treatment of pictures with high dynamic range (PQ, HLG) and with BT.2020's wide colors.
    ///
    /// Named as AVFoundation's `AVAssetImageGenerator.DynamicRangePolicy`. Other pictures are the same with both.
    public enum DynamicRangePolicy: String, Sendable, Hashable, CaseIterable {
        /// They become 8-bit sRGB, as every viewer shows it: tone-mapped with white at 203 nit (BT.2408, BT.2390), wide
        /// colors brought into BT.709's.
        case forceSDR
        /// Their numbers stay, with the source's primaries and transfer: 16 bits in PNG and 10 in AVIF, which tell
        /// their meaning. JPEG and WebP cannot, and refuse; of pixels in memory ``PixelImage/Facts/transfer`` says it.
        case matchSource
    }
}

extension FramePicture {
    /// The size of a picture.
    ///
    /// A picture that is made smaller is averaged over areas, high dynamic range in linear light. An interlaced one
    /// shows its first field, completed, as thumbnails do. One of its own size shows both fields as they are stored.
    public enum Size: Sendable, Hashable {
        /// The picture's own size: upright and with square pixels unless ``FramePicture/Options/rawGeometry`` says
        /// otherwise.
        case natural
        /// These very sides, whatever the shape.
        case exact(width: Int, height: Int)
        /// This width, also where it is larger than the picture's; the height follows from the shape and is even.
        case width(Int)
        /// This height, also where it is larger than the picture's; the width follows from the shape and is even.
        case height(Int)
        /// As large as fits into a box, never larger than the picture: AVFoundation's `maximumSize`. A side of 0 means
        /// no limit; the other side is rounded to the nearest whole number.
        case maximum(width: Int, height: Int)
    }
}
