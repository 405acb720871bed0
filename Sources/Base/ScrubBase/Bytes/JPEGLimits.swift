/// The limits of JPEG pictures, for planning, writing and reading.
package enum JPEGLimits {
    /// The maximum length of a side in pixels: libjpeg's own limit (`JPEG_MAX_DIMENSION`), slightly below the 65,535
    /// that a frame header allows (Rec. ITU-T T.81, B.2.2).
    package static let longestSide = 65_500
}
