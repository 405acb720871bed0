internal import CScrubFFmpeg
package import ScrubBase

extension CodecDescription {
    /// Returns the part of a picture that the ffmpeg command of this FFmpeg keeps if the container requests cropping.
    /// `nil` for the whole picture, and with FFmpeg before 7.1, which does not support such crops.
    ///
    /// The command's crop filter rounds the position and the size down to whole samples of chroma.
    ///
    /// - Parameters:
    ///   - width: the width of the decoded picture.
    ///   - height: the height of the decoded picture.
    package func commandCrop(width: Int, height: Int, format: PixelFormat) -> CleanAperture? {
        guard let data = sideData.first(where: { Int(exactly: $0.type) == Int(scrub_side_data_cropping) }),
            data.bytes.count >= 16
        else { return nil }
        // Four little-endian words of 32 bits: top, bottom, left, right.
        let sides = (0..<4).map { place in
            (0..<4).reduce(0) { $0 | Int(data.bytes[4 * place + $1]) << (8 * $1) }
        }
        let shift = format.chromaShift
        func whole(_ value: Int, _ shift: Int) -> Int { (value >> shift) << shift }
        return CleanAperture(
            codedWidth: width, codedHeight: height, left: whole(sides[2], shift.x), top: whole(sides[0], shift.y),
            width: whole(width - sides[2] - sides[3], shift.x), height: whole(height - sides[0] - sides[1], shift.y))
    }
}
