#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubBase

/// Whether to follow a recording, and for how long.
struct FollowArguments: ParsableArguments {
    @Flag(
        help:
            "Follow a file that is still being written (fragmented MP4, Matroska, WebM, MPEG-TS) until it is finished."
    )
    var follow = false

    @Option(
        help: ArgumentHelp(
            "With --follow, the number of seconds without new data after which the file counts as finished. Default: 30.",
            valueName: "seconds"
        ))
    var patience: Double?

    func validate() throws {
        try OptionRange.check("--patience", seconds: patience, 0...1_000_000_000)
        if patience != nil, !follow {
            throw ValidationError("--patience needs --follow: add --follow, or omit --patience")
        }
    }

    /// The time between two checks of a file.
    private static let interval = Duration.milliseconds(100)

    /// Opens a recording.
    func open(
        _ file: MediaName, stream: Int?, cache: CacheArguments, limits: MediaLimits
    ) throws(ScrubError) -> GrowingVideo {
        guard !file.isRemote else {
            throw ScrubError(
                .unavailable, "a recording on the network cannot be followed", file: file.said,
                advice: "omit --follow to open the part that exists now")
        }
        var options = VideoAsset.OpenOptions(stream: stream, cache: cache.choice)
        options.limits = limits
        return try GrowingVideo(path: file.typed, options: options)
    }

    /// Follows a recording to its end; see ``GrowingVideo/follow(interval:patience:sleep:_:)``.
    func follow(
        _ recording: GrowingVideo, _ body: (GrowingVideo.Update?) throws(ScrubError) -> Bool
    ) throws(ScrubError) {
        try recording.follow(
            interval: Self.interval, patience: .seconds(patience ?? 30),
            sleep: { Clock.sleep(nanoseconds: $0.wholeNanoseconds) }
        ) { (step) throws(ScrubError) in
            if step?.isRevised == true {
                Terminal.say(
                    "\(recording.path): warning: the program that writes the file changed earlier frames, so frame numbers have changed"
                )
            }
            return try body(step)
        }
    }
}
#endif
