package import ScrubBase

/// The properties of a decoded picture that describe its stream in more detail than the container.
package struct PictureDescription: Sendable, Equatable {
    package var width = 0
    package var height = 0
    /// `AVPixelFormat`.
    package var pixelFormat: Int32 = -1
    package var sampleAspectRatio: Rational?
    package var displayMatrix: [Int32]?
    package var isInterlaced = false
    package var color = ColorDescription()
    package var mastering: MasteringDescription?
    package var contentLight: ContentLight?

    package init() {}

    package init(_ frame: borrowing Frame) {
        (width, height, pixelFormat) = (frame.width, frame.height, frame.pixelFormat.rawValue)
        (sampleAspectRatio, displayMatrix) = (frame.sampleAspectRatio, frame.displayMatrix)
        (isInterlaced, color) = (frame.isInterlaced, ColorDescription(frame))
        (mastering, contentLight) = (frame.mastering, frame.contentLight)
    }
}
