/// The limits of JPEG pictures, wherever they are planned, written or read.
package enum JPEGLimits {
    /// The most pixels of a side: libjpeg's own limit (`JPEG_MAX_DIMENSION`), a little below the 65,535 that a frame
    /// header has room for (Rec. ITU-T T.81, B.2.2).
    package static let longestSide = 65_500
}
