internal import FileIO
internal import Scrub

/// Where pictures are written: to a file, into a folder (which is made for the first picture), to standard output.
struct OutputPath {
    private let path: String
    private let isShared: Bool

    /// Checks the path before anything is decoded.
    ///
    /// - Parameter isShared: whether several pictures are written, which need names of their own.
    init(_ path: String, isShared: Bool) throws(ScrubError) {
        self.path = path
        self.isShared = isShared
        if path == "-" {
            if isShared {
                throw ScrubError(.usage, "standard output takes one picture", advice: "name a file or a folder/")
            }
        } else if !path.hasSuffix("/"), !path.lowercased().hasSuffix(".png") {
            throw ScrubError(
                .usage, "'\(path)' names no picture format", advice: "end it with .png, or with / for a folder")
        }
    }

    var isStandardOutput: Bool { path == "-" }

    /// Writes a frame's picture, and gives the name under which it is found.
    func write(_ picture: Picture, _ number: Int, _ options: PictureOptions) throws(ScrubError) -> String {
        let warnings: [String]
        let name = name(forFrame: number)
        if isStandardOutput {
            let encoded = try picture.png(options)
            try Terminal.write(encoded.bytes)
            warnings = encoded.warnings
        } else {
            if path.hasSuffix("/") { try Folder.make(path) }
            warnings = try picture.writePNG(to: name, options).warnings
        }
        for warning in warnings { Terminal.say("warning: \(warning)") }
        return name
    }

    /// The name for a frame's picture.
    private func name(forFrame number: Int) -> String {
        let padded = PlainText.padded(number, to: 6)
        if path.hasSuffix("/") { return "\(path)frame-\(padded).png" }
        return isShared ? "\(path.dropLast(4))-\(padded)\(path.suffix(4))" : path
    }
}
