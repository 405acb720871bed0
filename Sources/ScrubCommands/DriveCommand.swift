internal import ArgumentParser
internal import Scrub

/// `scrub drive`: answers requests for frames, one line each, for benchmarks and for programs in other languages.
struct DriveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive", abstract: "Answer requests for exact frames on standard input, one line each.",
        discussion: """
            Says `READY frames nanoseconds` when the file is open. `SEEK n` is answered by `FRAME n pts md5 nanoseconds` \
            with the MD5 of the visible luma rows (the first plane), or `ERROR n text`; the time ends when the picture \
            is in memory. `QUIT` or the end of input ends it.
            """)

    @OptionGroup var input: FileArguments

    @Option(help: "Decoding threads; without it as many as there are processors.")
    var threads: Int?

    func validate() throws {
        try OptionRange.check("--threads", threads, OptionRange.threads)
    }

    func run() throws {
        try reportingErrors(input.file) { () throws(ScrubError) in
            let clock = ContinuousClock()
            let start = clock.now
            let asset = try input.open()
            var options = ReaderOptions()
            options.threadCount = threads
            let frames = try FrameService(asset, options: options)
            Terminal.print("READY \(asset.frames.count) \((clock.now - start).wholeNanoseconds)")
            try Terminal.flush()
            while let line = readLine() {
                let words = line.split(separator: " ")
                if words.first == "QUIT" { break }
                guard words.count == 2, words[0] == "SEEK", let number = Int(words[1]) else {
                    Terminal.print("ERROR 0 requests are 'SEEK n' and 'QUIT'")
                    try Terminal.flush()
                    continue
                }
                Terminal.print(try answer(number, clock, asset, frames))
                try Terminal.flush()
            }
        }
    }

    private func answer(
        _ number: Int, _ clock: ContinuousClock, _ asset: VideoAsset, _ frames: FrameService
    ) throws(ScrubError) -> String {
        guard asset.frames.indices.contains(number) else { return "ERROR \(number) there is no such frame" }
        let start = clock.now
        let answer = try frames.frame(numbered: number)
        let elapsed = (clock.now - start).wholeNanoseconds
        guard let picture = answer.picture else {
            return "ERROR \(number) \(answer.verdict.reason ?? "it cannot be decoded")"
        }
        return "FRAME \(number) \(answer.frame.presentationTime) \(try picture.md5(ofPlane: 0)) \(elapsed)"
    }
}
