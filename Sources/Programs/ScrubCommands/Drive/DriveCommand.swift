#if CommandLine
internal import ScrubBase
internal import ArgumentParser
internal import Scrub
internal import ScrubMedia
internal import ScrubPlayers
internal import SystemPackage

/// `scrub drive`: answers requests for frames, for benchmarks and for programs in other languages.
struct DriveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive",
        abstract: "Read requests for exact frames from standard input, and answer them on standard output.",
        discussion: """
            Prints `READY frames nanoseconds` once the file is open. The response to `SEEK n` is `FRAME n pts md5 \
            nanoseconds`, where md5 is the MD5 of the visible luma rows, or `ERROR n text`. The command exits after \
            `QUIT` or at the end of the input.

            With --binary, the responses to `GET POSITION...` and `READ POSITION COUNT` contain pictures. \
            docs/drive.md describes the protocol. The Python package (docs/python.md) returns the pictures as NumPy \
            arrays.
            """)

    @OptionGroup var input: FileArguments

    @Option(help: "The number of decoding threads. Default: one per processor.")
    var threads: Int?

    @Flag(help: "Return pictures instead of checksums.")
    var binary = false

    @Option(
        help:
            "With --binary, the pixel format: rgb24, rgba, bgra, gray, rgb48 or rgba64 (for display), or native (the stream's own samples)."
    )
    var format: RecordFormat?

    @Option(
        help: "Scale pictures to this width. Without --height, the aspect ratio is kept. Not available with native.")
    var width: Int?

    @Option(help: "Scale pictures to this height.")
    var height: Int?

    @Flag(help: "Ignore the stream's cropping, rotation and pixel aspect ratio. Has no effect with native.")
    var rawGeometry = false

    @Option(help: "With --binary, the open file descriptor of the shared memory (memfd) to write pictures to.")
    var memory: Int?

    @Option(
        help: "How messages refer to options: as on the command line (command), or as in the Python package (python).")
    var words: MessageWords = .command

    @OptionGroup var range: ClampArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--memory", memory, 3...Int(Int32.max))
        let sides = 1...OptionRange.side.upperBound
        try OptionRange.check("--width", width, sides)
        try OptionRange.check("--height", height, sides)
        let isScaled = width != nil || height != nil
        guard binary || (format == nil && memory == nil && !rawGeometry && !range.clamp && !isScaled) else {
            throw ValidationError(
                "--format, --width, --height, --raw-geometry, --clamp and --memory are for pictures: add --binary, or omit them"
            )
        }
        guard format != .native || !isScaled else {
            throw ValidationError("--width and --height cannot be used with --format native: use another format")
        }
    }

    func run() throws {
        Interrupt.leaves(nil)
        try reportingErrors(input.said) { () throws(ScrubError) in
            let clock = ContinuousClock()
            let start = clock.now
            var options = FrameReader.Options()
            options.threadCount = threads
            if binary {
                // Before the file is opened, while all open descriptors are still the caller's.
                let writer = try RecordWriter(
                    (format ?? .rgb24).packing, pictureOptions, memory: memory.map { Int32($0) })
                let asset: VideoAsset
                do throws(ScrubError) {
                    asset = try input.open(network)
                } catch {
                    let failure = error.inFile(input.said)
                    try writer.write(FrameRecord(failure, request: 0, item: -1, for: words.face))
                    throw error
                }
                var server = try FrameServer(
                    asset, named: input.file, options, writer, clamps: range.clamp, face: words.face)
                return try server.run()
            }
            let asset = try input.open(network)
            let frames = try FrameService(asset, options: options)
            try say("READY \(asset.frames.count) \((clock.now - start).wholeNanoseconds)")
            var lines = LineReader(.standardInput)
            while true {
                switch try lines.next() {
                case .end: return
                case .tooLong:
                    try say("ERROR 0 a request is longer than \(LineReader.limit) bytes")
                    throw ScrubError(
                        .usage, "a request is longer than \(LineReader.limit) bytes",
                        advice: "split the request into several lines with fewer frames each")
                case .text(let line):
                    let words = line.split(separator: " ")
                    if words.first == "QUIT" { return }
                    if words.count == 2, words[0] == "SEEK", let number = Int(words[1]) {
                        try say(try answer(number, clock, asset, frames))
                    } else {
                        try say("ERROR 0 not a valid request: use 'SEEK n' or 'QUIT'")
                    }
                }
            }
        }
    }

    private var pictureOptions: FramePicture.Options {
        let size: FramePicture.Size =
            switch (width, height) {
            case (nil, nil): .natural
            case (let width?, nil): .width(width)
            case (nil, let height?): .height(height)
            case (let width?, let height?): .exact(width: width, height: height)
            }
        return FramePicture.Options(appliesGeometry: !rawGeometry, size: size, dynamicRange: .matchSource)
    }

    private func say(_ line: String) throws(ScrubError) {
        Terminal.print(line)
        try Terminal.flush()
    }

    private func answer(
        _ number: Int, _ clock: ContinuousClock, _ asset: VideoAsset, _ frames: FrameService
    ) throws(ScrubError) -> String {
        guard asset.frames.indices.contains(number) else { return "ERROR \(number) there is no such frame" }
        let start = clock.now
        let answer = try frames.frame(numbered: number)
        let elapsed = (clock.now - start).wholeNanoseconds
        guard let picture = answer.picture else {
            return "ERROR \(number) \(answer.verdict.wording?.text(for: .command) ?? "it cannot be decoded")"
        }
        return "FRAME \(number) \(answer.frame.presentationTime) \(try picture.md5(ofPlane: 0)) \(elapsed)"
    }
}

/// The form of a picture's bytes: a ``FramePicture/Packing``, or the stream's own samples.
enum RecordFormat: String, CaseIterable, ExpressibleByArgument {
    case rgb24, rgba, bgra, gray, rgb48, rgba64, native

    var packing: FramePicture.Packing? { FramePicture.Packing(rawValue: rawValue) }
}
#endif
