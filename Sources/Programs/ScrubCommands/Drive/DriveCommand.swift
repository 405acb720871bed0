#if CommandLine
internal import ArgumentParser
internal import Scrub
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

    @Option(help: "With --binary, what pictures are: rgb24 (as they are shown) or native (the stream's own samples).")
    var format: RecordWriter.Format?

    @Flag(help: "With rgb24, ignore the stream's cropping, rotation and pixel shape.")
    var rawGeometry = false

    @Option(help: "With --binary, the number of an open descriptor of shared memory (memfd) to put pictures into.")
    var memory: Int?

    @OptionGroup var range: ClampArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--memory", memory, 3...Int(Int32.max))
        guard binary || (format == nil && memory == nil && !rawGeometry && !range.clamp) else {
            throw ValidationError(
                "--format, --raw-geometry, --clamp and --memory are for pictures: add --binary, or leave them out")
        }
    }

    func run() throws {
        try reportingErrors(input.said) { () throws(ScrubError) in
            let clock = ContinuousClock()
            let start = clock.now
            var options = FrameReader.Options()
            options.threadCount = threads
            if binary {
                // Before the file is opened: descriptors are the caller's as long as nothing else is.
                let writer = try RecordWriter(
                    format ?? .rgb24, FramePicture.Options(rawGeometry: rawGeometry), memory: memory.map { Int32($0) })
                var server = try FrameServer(
                    try input.open(network), named: input.file, options, writer, clamps: range.clamp)
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
            return "ERROR \(number) \(answer.verdict.reason?.inCommandWords ?? "it cannot be decoded")"
        }
        return "FRAME \(number) \(answer.frame.presentationTime) \(try picture.md5(ofPlane: 0)) \(elapsed)"
    }
}

extension RecordWriter.Format: ExpressibleByArgument {}
#endif
