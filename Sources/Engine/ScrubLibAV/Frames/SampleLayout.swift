internal import CScrubFFmpeg

/// The positions of one component's samples in a picture's rows.
///
/// libav describes nearly every format in this way (`AVComponentDescriptor`), whether planar, interleaved, or packed
/// into words, so that one reader handles all of them.
package struct SampleLayout: Hashable, Sendable {
    package let plane: Int
    /// The number of bytes from one sample to the next.
    package let step: Int
    /// The offset of the first byte of the first sample from the start of the row.
    package let offset: Int
    /// The number of bytes of the word that holds a sample: 1, 2, or 4.
    package let wordBytes: Int
    package let isBigEndian: Bool
    /// The number of bits of the word below the sample.
    package let shift: Int
    /// The number of significant bits; 16 for floating point, whose samples are read as codes of that depth.
    package let depth: Int
    /// Whether the word is a binary16 or binary32 number, where 0 is black and 1 is white.
    package let isFloat: Bool

    init(_ component: AVComponentDescriptor, isBigEndian: Bool, isFloat: Bool) {
        let bits = component.shift + component.depth
        plane = Int(component.plane)
        step = Int(component.step)
        shift = Int(component.shift)
        depth = isFloat ? 16 : Int(component.depth)
        self.isFloat = isFloat
        wordBytes = bits <= 8 ? 1 : bits <= 16 ? 2 : 4
        // For a big-endian word, the descriptor's offset of a component that fits one byte is one too small;
        // `av_read_image_line2` reads it in the same way.
        offset = Int(component.offset) + (bits <= 8 && isBigEndian ? 1 : 0)
        self.isBigEndian = isBigEndian
    }
}

extension PixelFormat {
    /// The components in libav's order: red, green, blue or luma, Cb, Cr, then alpha.
    ///
    /// `nil` for formats whose samples are not words of whole bytes, or that are not RGB, YCbCr, or gray. Those are bit
    /// streams, sensor mosaics, CIE XYZ, device memory, palettes, and `uyyvyy411`, whose luma is not evenly spaced.
    package var sampleLayouts: [SampleLayout]? {
        guard let descriptor = unsafe av_pix_fmt_desc_get(native)?.pointee else { return nil }
        let excluded =
            AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL
        guard unsafe descriptor.flags & UInt64(excluded) == 0, !isXYZ, native != AV_PIX_FMT_UYYVYY411 else {
            return nil
        }
        let isBigEndian = unsafe descriptor.flags & UInt64(AV_PIX_FMT_FLAG_BE) != 0
        let (components, isFloat) = unsafe (descriptor.comp, isFloat)
        return unsafe [components.0, components.1, components.2, components.3].prefix(Int(descriptor.nb_components)).map
        {
            SampleLayout($0, isBigEndian: isBigEndian, isFloat: isFloat)
        }
    }

    /// Whether the components are CIE 1931 XYZ, as in digital cinema. libavutil 57 has no flag for it.
    package var isXYZ: Bool { name.hasPrefix("xyz") }
}

extension Frame {
    /// `AVColorRange`: 0 unspecified, 1 limited, 2 full.
    package var colorRange: UInt32 { unsafe pointer.pointee.color_range.rawValue }
    /// `AVChromaLocation`: 0 unspecified, 1 left, 2 center, 3 top left, 4 top, 5 bottom left, 6 bottom.
    package var chromaLocation: UInt32 { unsafe pointer.pointee.chroma_location.rawValue }
}
