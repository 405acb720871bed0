package import ScrubBase

/// The visible part of a track's pictures (RFC 9559, 5.1.4.1.28.8 to 11), and its aspect ratio.
package struct VideoCropping: Sendable, Equatable {
    var width: UInt64 = 0
    var height: UInt64 = 0
    var (left, top): (UInt64, UInt64) = (0, 0)
    var (right, bottom): (UInt64, UInt64) = (0, 0)
    var displayWidth: UInt64?
    var displayHeight: UInt64?

    mutating func read(_ field: MasterElement.Child, of video: MasterElement) throws(ScrubError) {
        switch field.id {
        case .pixelWidth: width = try video.unsigned(field)
        case .pixelHeight: height = try video.unsigned(field)
        case .pixelCropLeft: left = try video.unsigned(field)
        case .pixelCropTop: top = try video.unsigned(field)
        case .pixelCropRight: right = try video.unsigned(field)
        case .pixelCropBottom: bottom = try video.unsigned(field)
        case .displayWidth: displayWidth = try video.unsigned(field)
        case .displayHeight: displayHeight = try video.unsigned(field)
        default: break
        }
    }

    /// `nil` for the whole picture, and for impossible numbers.
    package var cleanAperture: CleanAperture? {
        guard [width, height, left, top, right, bottom].allSatisfy({ $0 <= 1 << 24 }) else { return nil }
        return CleanAperture(
            codedWidth: Int(width), codedHeight: Int(height), left: Int(left), top: Int(top),
            width: Int(width) - Int(left) - Int(right), height: Int(height) - Int(top) - Int(bottom))
    }

    /// The sample aspect ratio: after cropping, the picture has the display's aspect ratio. `nil` if the file does not
    /// specify one.
    ///
    /// libavformat 5.1 also counts the cropped pixels.
    package var sampleAspectRatio: Rational? {
        guard let aperture = cleanAperture, let displayWidth, let displayHeight, displayWidth > 0, displayHeight > 0,
            displayWidth <= 1 << 24, displayHeight <= 1 << 24
        else { return nil }
        return Rational(
            checked: Int64(displayWidth) * Int64(aperture.height), Int64(displayHeight) * Int64(aperture.width))
    }
}
