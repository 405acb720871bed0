internal import FileIO
internal import LibAV
internal import ScrubIndex
internal import ScrubPictures

/// How a picture is shown.
public struct PictureOptions: Sendable, Hashable {
    /// Leaves the stored pixel grid as it is: no clean aperture, no rotation, no square pixels.
    public var rawGeometry: Bool

    /// Makes options; by default the picture is cropped to its clean aperture, upright and has square pixels.
    public init(rawGeometry: Bool = false) { self.rawGeometry = rawGeometry }
}

/// A picture as a file's bytes, and what could not be followed on the way.
public struct EncodedPicture: Sendable {
    /// The file.
    public let bytes: [UInt8]
    /// Columns of the encoded picture.
    public let width: Int
    /// Rows of the encoded picture.
    public let height: Int
    /// Sentences for people: a colour matrix that had to be replaced, an absurd aspect ratio.
    public let warnings: [String]

    package init(bytes: [UInt8], width: Int, height: Int, warnings: [String]) {
        (self.bytes, self.width, self.height, self.warnings) = (bytes, width, height, warnings)
    }
}

extension Picture {
    /// The picture as a PNG: 8 bits per channel, 16 for deeper sources; gray stays gray, alpha is kept; converted by
    /// the matrix and range that the stream's tags name; upright and with square pixels unless the options say
    /// otherwise.
    ///
    /// Cost: some 50 to 100 ms for 1080p, nearly all of it compression. Memory: the RGB picture and the file.
    public func png(_ options: PictureOptions = .init()) throws(ScrubError) -> EncodedPicture {
        let facts = asset.index.facts
        let (image, warnings) = try PictureRenderer.render(
            shared, codec: facts.descriptions[0], containerAspect: facts.sampleAspectRatio,
            displayMatrix: facts.displayMatrix, cleanAperture: facts.cleanAperture, rawGeometry: options.rawGeometry)
        let bytes = try PNG.encode(image)
        return EncodedPicture(bytes: bytes, width: image.width, height: image.height, warnings: warnings)
    }

    /// Writes the picture as a PNG. The file appears whole or not at all.
    @discardableResult
    public func writePNG(to path: String, _ options: PictureOptions = .init()) throws(ScrubError) -> EncodedPicture {
        let encoded = try png(options)
        try AtomicFile.write(encoded.bytes, to: path)
        return encoded
    }
}
