#if CommandLine
internal import ScrubBase
internal import ScrubFileIO
internal import Scrub
internal import ScrubThumbnails

/// The file of a plot, whose suffix determines the format.
struct PlotFile {
    /// The formats of a plot.
    enum Format: String, CaseIterable {
        case svg, html, png
    }

    let format: Format
    var path: String { output.path }
    private let output: OutputFile

    /// - Throws: `usage` for an unknown suffix and for a file that must not be replaced, before anything is measured.
    init(_ path: String, _ others: ReplaceArgument) throws(ScrubError) {
        let suffix = path.utf8.lastIndex(of: UInt8(ascii: ".")).map {
            String(decoding: path.utf8[path.utf8.index(after: $0)...], as: UTF8.self).lowercased()
        }
        guard let format = suffix.flatMap({ Format(rawValue: $0) }) else {
            throw ScrubError.wrongRequest(
                "--plot '\(path)' does not have the suffix of a plot format",
                advice: "use a name that ends with .svg, .html or .png")
        }
        self.format = format
        output = try OutputFile(path, .plot, replacesFiles: others.replace)
    }

    /// Writes a plot.
    ///
    /// - Parameters:
    ///   - svg: the drawing.
    ///   - html: the page, if it has more than the drawing; `nil` for a page with only the drawing.
    ///   - title: the page's title.
    func write(svg: String, html: String? = nil, title: String) throws(ScrubError) {
        let bytes: [UInt8]
        switch format {
        case .svg: bytes = Array(svg.utf8)
        case .png: bytes = try SVGPainter.png(svg)
        case .html:
            let page =
                "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
                + "<title>\(PlainText.markup(title))</title><style>svg{max-width:100%;height:auto}</style>\n\(svg)</html>\n"
            bytes = Array((html ?? page).utf8)
        }
        try output.makeFolders()
        try AtomicFile.write(bytes, to: output)
    }
}
#endif
