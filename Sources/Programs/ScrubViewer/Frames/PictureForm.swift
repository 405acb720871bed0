#if Viewer
internal import ScrubBase
internal import ScrubMedia
internal import ScrubViewerLogic

/// In which form a picture is wanted.
struct PictureForm: Hashable, Sendable {
    /// Columns; `nil` for the picture's own.
    var width: Int?
    var format: ImageFormat

    init(width: Int?, format: ImageFormat) { (self.width, self.format) = (width, format) }

    /// Creates the form that a request asks for.
    ///
    /// - Throws: `usage` for another format or a width that is not in 16...8192.
    init(_ target: RequestTarget) throws(ScrubError) {
        switch target["format"] ?? "jpeg" {
        case "jpeg", "jpg": format = .jpeg
        case "png": format = .png
        case "webp": format = .webp
        case let other:
            throw ScrubError(.usage, "'\(other.prefix(40))' is not a format", advice: "ask for jpeg, png or webp")
        }
        guard let text = target["width"] else { return }
        guard let width = Int(text), (16...8192).contains(width) else {
            throw ScrubError(
                .usage, "'\(text.prefix(40))' is not a width", advice: "ask for 16 to 8192 columns, or leave it out")
        }
        self.width = width
    }

    /// Whether the size is the picture's own.
    var isNatural: Bool { width == nil }

    /// Makes the file; blocks for milliseconds.
    func encode(_ picture: FramePicture) throws(ScrubError) -> EncodedPicture {
        var options = FramePicture.Options()
        let natural = try picture.size(options)
        // Never larger than it is: the browser enlarges as well, and more sparingly.
        if let width, width < natural.width { options.size = .width(width) }
        return try picture.encoded(as: format, options: options, quality: format == .webp ? 80 : 88)
    }
}
#endif
