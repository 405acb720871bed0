import ScrubPictures

extension RasterImage {
    /// One sample as a number.
    func sample(x: Int, y: Int, channel: Int) -> Int {
        let place = y * bytesPerRow + (x * channels + channel) * bitDepth / 8
        return bitDepth == 8 ? Int(bytes[place]) : Int(bytes[place]) | Int(bytes[place + 1]) << 8
    }
}
