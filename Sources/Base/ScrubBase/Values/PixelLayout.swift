/// The layout of a picture's pixels in memory: rows of interleaved channels, top row first, all full range.
public enum PixelLayout: String, Sendable, Hashable, CaseIterable {
    /// Luma. For color pictures, this is the BT.709-weighted sum of the red, green and blue codes.
    case gray8
    /// Red, green, blue.
    case rgb8
    /// Red, green, blue, alpha.
    case rgba8
    /// Blue, green, red, alpha: Cairo's `ARGB32` and Core Graphics' `byteOrder32Little` on little-endian machines,
    /// which both expect premultiplied alpha.
    case bgra8
    /// Red, green, blue, alpha, 16 bits each, in the machine's byte order; 65535 is white.
    case rgba16
    /// Red, green, blue, alpha as binary32 from 0 to 1, in the machine's byte order. These are the codes of ``rgba16``
    /// over 65535: display-referred and encoded with the picture's transfer function, not linear light.
    case rgbaFloat32

    /// The number of values per pixel.
    public var channelCount: Int {
        switch self {
        case .gray8: 1
        case .rgb8: 3
        case .rgba8, .bgra8, .rgba16, .rgbaFloat32: 4
        }
    }

    /// The number of bytes per pixel.
    public var bytesPerPixel: Int {
        switch self {
        case .gray8, .rgb8, .rgba8, .bgra8: channelCount
        case .rgba16: 8
        case .rgbaFloat32: 16
        }
    }

    /// Whether the last channel is alpha. In pictures without transparency, every pixel is fully opaque.
    public var hasAlpha: Bool { channelCount == 4 }

    /// Whether the values have more than 8 bits.
    package var isDeep: Bool { self == .rgba16 || self == .rgbaFloat32 }
}

/// Whether colors are premultiplied by alpha.
public enum AlphaMode: String, Sendable, Hashable, CaseIterable {
    /// Colors are not multiplied by alpha, as in PNG.
    case straight
    /// Colors are multiplied by alpha, as expected by compositors.
    case premultiplied
}
