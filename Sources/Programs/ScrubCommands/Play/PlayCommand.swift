#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubBase

/// `scrub play`: plays files one after another, into a file, a pipe, a terminal, or nowhere.
struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play videos one after another: to a pipe, a file or a terminal, or without output.",
        discussion: """
            Without an output option, pictures are shown in the terminal. If there is no terminal, they are discarded \
            and counted. Each frame is output once, and in order. However, in a terminal and with --null --clock real, \
            the clock keeps running: late frames are skipped and counted. During backward or fast playback, the \
            film's kept previews (see scrub previews) are shown instead of late frames.

            --y4m writes the same stream as ffmpeg -f yuv4mpegpipe. The stream has the size and pixel format of its \
            first picture. Pictures of later files are scaled to fit, with black bars if necessary. An output file \
            appears only when it is complete.

            In the terminal, ? shows all keys and q quits. If one of several files cannot be played, this is reported \
            and the others are still played. The highest exit code of all files is returned.
            """)

    @OptionGroup var input: FilesArguments

    @Option(help: "How many times to play the list of files; inf means forever.")
    var loop = PlayLoops.times(1)

    @Option(
        parsing: .unconditional,
        help: "The playback rate, such as 2, 1/2, or -1 for backward; max and -max mean as fast as possible.")
    var rate = PlayRate.paced(.one)

    @Option(
        help:
            "The clock to follow: real, or simulated, which waits for every frame. Default: real in a terminal, otherwise simulated."
    )
    var clock: PlayClock?

    @Option(
        parsing: .unconditional,
        help: "The position in the first file at which playback begins. Default: its first frame.")
    var from: String?

    @OptionGroup var range: ClampArgument

    @Option(parsing: .unconditional, help: "Write YUV4MPEG2 to this file or named pipe; '-' is standard output.")
    var y4m: String?

    @Option(
        help:
            "With --y4m, also write the frames' times to this file (timestamps v2), for videos with a variable frame rate."
    )
    var times: String?

    @Option(
        parsing: .unconditional,
        help:
            "Write the pictures' bytes to this file or named pipe, planes in order without padding; '-' is standard output."
    )
    var raw: String?

    @Flag(help: "With --raw, write pixels as 8-bit RGB instead of the stream's own pixel format.")
    var rgb = false

    @Flag(
        help:
            "With --raw, before each picture, write a 160-byte header that describes it, as scrub drive --binary does."
    )
    var records = false

    @Option(help: "Write numbered PNG files, with names that follow a pattern such as FOLDER/%05d.png.")
    var png: String?

    @Flag(help: "Show the pictures in the terminal; press ? to see all keys.")
    var terminal = false

    @Flag(help: "Discard the pictures, and only count them.")
    var null = false

    @Option(help: "Scale down pictures that are wider than this many pixels.")
    var width: Int?

    @Option(help: "Scale down pictures that are taller than this many pixels.")
    var height: Int?

    @Option(
        help: "The maximum number of open decoders; with two or more, the next file is ready when the current one ends."
    )
    var decoders = 4

    @Option(help: "The number of threads for each decoder. Default: one per processor.")
    var threads: Int?

    @Option(help: "The maximum memory for pictures, in MiB. Default: as much as decoding needs.")
    var memory: Int?

    @Flag(help: "Print the summary as one JSON object.")
    var json = false

    @Flag(help: "Print one JSON object for each event before the summary.")
    var events = false

    @OptionGroup var others: ReplaceArgument

    @OptionGroup var network: NetworkArguments

    func validate() throws {
        try OptionRange.check("--width", width, OptionRange.side)
        try OptionRange.check("--height", height, OptionRange.side)
        try OptionRange.check("--decoders", decoders, 1...64)
        try OptionRange.check("--threads", threads, OptionRange.threads)
        try OptionRange.check("--memory", memory, OptionRange.mebibytes)
        let outputs = [y4m != nil, raw != nil, png != nil, terminal, null].count { $0 }
        if outputs > 1 {
            throw ValidationError(
                "more than one output is specified: use only one of --y4m, --raw, --png, --terminal and --null")
        }
        if times != nil, y4m == nil { throw ValidationError("--times needs --y4m: add --y4m, or omit --times") }
        if let times, times == y4m {
            throw ValidationError("--y4m and --times name the same file: use different files")
        }
        if rgb || records, raw == nil {
            throw ValidationError("--rgb and --records need --raw: add --raw, or omit them")
        }
        if case .times(let count) = loop,
            count.multipliedReportingOverflow(by: input.files.count).overflow
                || (input.files.count > 1 && count * input.files.count > PlayLoops.longestList)
        {
            throw ValidationError(
                "--loop \(count) with \(input.files.count) files makes the list too long: it may have at most \(PlayLoops.longestList) items"
            )
        }
        if case .unpaced = rate, clock == .real {
            throw ValidationError("--rate max does not use a clock: omit --clock")
        }
    }

    func run() throws {
        var targets: (target: PlayTarget, from: SeekTarget?)?
        try reportingErrors(nil) { () throws(ScrubError) in
            let target = try PlayTarget(self)
            targets = (target, try from.map { (text) throws(ScrubError) in .position(text, try FramePosition(text)) })
        }
        guard let targets else { return }
        let session = PlaySession(self, targets.target, from: targets.from)
        try session.run()
    }
}

/// The clock of a playback.
enum PlayClock: String, ExpressibleByArgument, CaseIterable {
    case real, simulated
}

/// The number of repetitions.
enum PlayLoops: ExpressibleByArgument, Hashable {
    case times(Int)
    case forever

    /// If several files are played several times, each time is a separate item.
    static let longestList = 100_000

    init?(argument: String) {
        if argument == "inf" {
            self = .forever
        } else {
            guard let count = Int(argument), (1...1_000_000).contains(count) else { return nil }
            self = .times(count)
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .times(let count): "\(count)"
        case .forever: "inf"
        }
    }
}

/// The speed of a playback.
enum PlayRate: ExpressibleByArgument, Hashable {
    case paced(Rational)
    /// As fast as possible.
    case unpaced(isBackward: Bool)

    private static let fastest = Rational(1000)

    init?(argument: String) {
        switch argument {
        case "max": self = .unpaced(isBackward: false)
        case "-max": self = .unpaced(isBackward: true)
        default:
            // A decimal or a ratio, exactly as written.
            let (isNegative, number) = (
                argument.hasPrefix("-"), argument.hasPrefix("-") ? argument.dropFirst() : argument[...]
            )
            guard let first = number.utf8.first, first == UInt8(ascii: ".") || (48...57).contains(first),
                !number.hasSuffix("%"), case .fraction(let rate)? = try? FramePosition(String(number)).kind,
                rate > .zero,
                rate <= PlayRate.fastest, rate * PlayRate.fastest >= .one
            else { return nil }
            self = .paced(isNegative ? -rate : rate)
        }
    }

    var rate: Rational {
        switch self {
        case .paced(let rate): rate
        case .unpaced(let isBackward): isBackward ? -.one : .one
        }
    }

    var isUnpaced: Bool { if case .unpaced = self { true } else { false } }

    var defaultValueDescription: String { "1" }
}
#endif
