internal import ScrubFileIO
internal import ScrubBase
internal import ScrubIndex
internal import ScrubMedia
internal import ScrubPictures

/// Renders drawings with FFmpeg's SVG decoder (librsvg), which supports text in every script without an additional
/// library.
package enum SVGPainter {
    /// The maximum number of pixels of a drawing, which takes up to 400 MB while it is rendered.
    static let mostPixels = 100_000_000

    /// Returns a drawing's pixels, 8-bit RGB.
    ///
    /// - Throws: `unavailable` if this FFmpeg cannot render SVG.
    static func paint(_ svg: String) throws(ScrubError) -> RasterImage {
        let file = try TemporaryFile(Array(svg.utf8), suffix: ".svg")
        defer { withExtendedLifetime(file) {} }
        var reason: Wording = ""
        do throws(ScrubError) {
            var options = VideoAsset.OpenOptions(cache: .none)
            options.pictureByteLimit = 4 * mostPixels
            let source = try MediaSource(path: file.path)
            source.opening.isOwnWork()
            var reader = FrameReader(try VideoAsset(file: source, options: options, rules: .init()))
            let answer = try reader.frame(at: .first)
            if let picture = answer.picture { return try picture.small(width: nil).image }
            reason = answer.verdict.wording ?? ""
        } catch {
            reason = error.causeWording
        }
        throw ScrubError(
            .unavailable, "this build of FFmpeg cannot render SVG: \(reason)",
            advice: "use .svg, or install an FFmpeg build with librsvg")
    }
}

extension SVGPainter {
    /// Returns a drawing as a PNG file.
    ///
    /// - Throws: `unavailable` if this FFmpeg cannot render SVG.
    package static func png(_ svg: String) throws(ScrubError) -> [UInt8] { try PNG.encode(try paint(svg)) }
}

/// Renders a contact sheet to pixels: the drawing, with the original pictures on top.
enum ContactSheetPainter {
    /// Returns the rendered sheet.
    ///
    /// - Parameter images: the pictures, by cell.
    static func paint(_ sheet: ContactSheetDrawing, _ images: [Int: RasterImage]) throws(ScrubError) -> RasterImage {
        let ground = try SVGPainter.paint(sheet.ground)
        guard ground.width == sheet.width, ground.height == sheet.height else {
            throw ScrubError(.unavailable, "FFmpeg rendered the SVG drawing at the wrong size", advice: "use .svg")
        }
        var canvas = SheetCanvas(width: sheet.width, height: sheet.height)
        canvas.paste(ground, x: 0, y: 0)
        for (number, image) in images.sorted(by: { $0.key < $1.key }) {
            let place = sheet.place(number)
            canvas.paste(image, x: place.x, y: place.y)
            for box in sheet.boxes(number) {
                canvas.paste(
                    ground.cropped(x: box.x, y: box.y, width: box.width, height: box.height), x: box.x, y: box.y)
            }
        }
        return canvas.image
    }
}
