#if CommandLine
internal import ScrubBase
internal import ScrubFileIO
internal import Scrub

/// The target of pictures: a file, a folder, or standard output. Folders are created for the first picture.
struct OutputPath {
    private let path: String
    private let pattern: NumberPattern
    private let isShared: Bool
    private let replacesFiles: Bool
    private let style: OutputStyle
    private let meter: OutputMeter
    /// The format of the pictures.
    let format: OutputFormat
    /// The number of threads that may work on a picture.
    private var threads = Processors.count

    /// A picture that was written.
    struct Written {
        let name: String
        let width: Int
        let height: Int
    }

    /// Checks the path before anything is decoded.
    ///
    /// - Parameters:
    ///   - isShared: whether several pictures are written, which need different names.
    ///   - limits: the limits, including the total size of the output.
    ///   - replacesFiles: whether to replace files that no earlier run wrote.
    init(
        _ path: String, isShared: Bool, style: OutputStyle = .init(), limits: MediaLimits, replacesFiles: Bool = false
    ) throws(ScrubError) {
        self.replacesFiles = replacesFiles
        (self.path, self.isShared, self.style, meter) = (path, isShared, style, OutputMeter(limits))
        pattern = try NumberPattern(path)
        let named = OutputFormat(pathSuffix: path)
        if path == "-" {
            format = style.format ?? .png
            if isShared, format.image != nil {
                throw ScrubError.wrongRequest(
                    "standard output accepts only one picture in this format",
                    advice:
                        "specify a file or a folder/, or use --format raw, rgb or rgba to write several pictures one after another"
                )
            }
        } else if path.hasSuffix("/") {
            format = style.format ?? .png
        } else if let named {
            if let asked = style.format, asked != named {
                throw ScrubError.wrongRequest(
                    "'\(path)' has the suffix of \(named.rawValue), but --format is \(asked.rawValue)",
                    advice: "omit --format")
            }
            format = named
        } else if let asked = style.format {
            format = asked
        } else {
            throw ScrubError.wrongRequest(
                "'\(path)' does not name a picture format",
                advice:
                    "use a name that ends with .png, .jpg, .webp, .avif, .raw, .rgb or .rgba, or with / for a folder, or use --format"
            )
        }
        guard format != .raw || style.options == .init(appliesGeometry: style.options.appliesGeometry) else {
            throw ScrubError.wrongRequest(
                "raw pictures are the stream's own, and cannot be scaled, deinterlaced or written with --keep-hdr",
                advice: "use rgb or rgba")
        }
        // Names that contain a frame number are checked when the number is known.
        if !path.hasSuffix("/"), !pattern.hasNumber, !isShared { try check(0) }
    }

    var isStandardOutput: Bool { path == "-" }

    /// Whether the names of pictures contain frame numbers.
    var namesContainNumbers: Bool {
        !isStandardOutput && (isShared || path.hasSuffix("/") || pattern.hasNumber)
    }

    /// Returns the target for pictures that are made in parallel, each on this many threads, at least one.
    func with(threads: Int) -> OutputPath {
        var target = self
        target.threads = max(1, threads)
        return target
    }

    /// Registers a message for Ctrl-C with the number of pictures written so far.
    func tellWhatIsLeft() {
        guard !isStandardOutput else { return }
        Interrupt.leaves { [meter] in "\(Amount.of(meter.fileCount, "picture is", "pictures are")) written completely"
        }
    }

    /// Checks that a frame's picture may have its name.
    ///
    /// - Throws: `usage` if the name belongs to a file that must not be replaced.
    func check(_ number: Int) throws(ScrubError) { if !isStandardOutput { _ = try file(number) } }

    private func file(_ number: Int) throws(ScrubError) -> OutputFile {
        try OutputFile(name(forFrame: number), .picture, replacesFiles: replacesFiles)
    }

    /// Writes a frame's picture, and returns its name.
    func write(_ picture: FramePicture, _ number: Int) throws(ScrubError) -> Written {
        let made = try style.bytes(picture, as: format, threads: threads)
        try meter.add(made.bytes.count)
        let name = name(forFrame: number)
        if isStandardOutput {
            try Terminal.write(made.bytes)
        } else {
            let file = try file(number)
            try file.makeFolders()
            try AtomicFile.write(made.bytes, to: file)
            meter.addFile()
        }
        for warning in made.warnings { Terminal.say("warning: \(warning)") }
        return Written(name: name, width: made.width, height: made.height)
    }

    /// Returns the name for a frame's picture.
    private func name(forFrame number: Int) -> String {
        let padded = PlainText.padded(number, to: 6)
        if isStandardOutput { return path }
        if path.hasSuffix("/") { return "\(pattern.path(number))frame-\(padded).\(format.fileExtension)" }
        guard isShared, !pattern.hasNumber else { return pattern.path(number) }
        let whole = pattern.path(number)
        // The suffix, or the end of the name if there is none.
        let end = OutputFormat(pathSuffix: whole) == nil ? whole.endIndex : whole.lastIndex(of: ".") ?? whole.endIndex
        return "\(whole[..<end])-\(padded)\(whole[end...])"
    }
}
#endif
