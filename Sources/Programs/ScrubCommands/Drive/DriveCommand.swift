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
        commandName: "drive", abstract: "Answer requests for exact frames on standard input.",
        discussion: """
            Says `READY frames nanoseconds` when the file is open. `SEEK n` is answered by `FRAME n pts md5 nanoseconds`, with the MD5 of \
            the visible luma rows, or by `ERROR n text`; `QUIT` or the end of input ends it.

            With --binary, `GET POSITION...` and `READ POSITION COUNT` are answered with pictures: docs/drive.md has the protocol, and \
            the Python package (docs/python.md) makes NumPy arrays of it.
            """)

    @OptionGroup var input: FileArguments

    @Option(help: "How many threads decode. Default: one for each processor.")
    var threads: Int?

    @Flag(help: "Answer with pictures instead of checksums.")
    var binary = false

    @Option(
        help:
            "With --binary, what pictures are: rgb24, rgba, bgra, gray, rgb48 or rgba64 (as they are shown), or native (the stream's own samples)."
    )
    var format: RecordFormat?

    @Option(help: "Scale pictures to this width; the height follows unless it is given too. Not for native.")
    var width: Int?

    @Option(help: "Scale pictures to this height.")
    var height: Int?

    @Flag(help: "Ignore the stream's cropping, rotation and pixel shape. Not for native.")
    var rawGeometry = false

    @Option(help: "With --binary, the number of an open descriptor of shared memory (memfd) to put pictures into.")
    var memory: Int?

    @Option(help: "How messages name options: as the command line does, or as the Python package does (python).")
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
                "--format, --width, --height, --raw-geometry, --clamp and --memory are for pictures: add --binary, or leave them out"
            )
        }
        guard format != .native || !isScaled else {
            throw ValidationError("--width and --height are for pictures as they are shown: choose another --format")
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
                // Before the file is opened: descriptors are the caller's as long as nothing else is.
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
                    try say("ERROR 0 a request has more than \(LineReader.limit) bytes")
                    throw ScrubError(
                        .usage, "a request has more than \(LineReader.limit) bytes",
                        advice: "ask for fewer frames at a time, on several lines")
                case .text(let line):
                    let words = line.split(separator: " ")
                    if words.first == "QUIT" { return }
                    if words.count == 2, words[0] == "SEEK", let number = Int(words[1]) {
                        try say(try answer(number, clock, asset, frames))
                    } else {
                        try say("ERROR 0 requests are 'SEEK n' and 'QUIT'")
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
        return FramePicture.Options(rawGeometry: rawGeometry, size: size, dynamicRange: .matchSource)
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
