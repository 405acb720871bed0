#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubBase

/// The option for positions outside the video.
struct ClampArgument: ParsableArguments {
    @Flag(
        help: "For a fraction, time or timecode outside the film, use the first or last frame instead of failing.")
    var clamp = false
}

/// Positions as people type them.
enum TypedPosition {
    /// The alternative for a position outside the video.
    static let clampAdvice = "use --clamp to get the first or last frame"

    /// Reads the positions of a command line. If one is not a position and the file's name is, they are probably
    /// swapped.
    static func reading<Value>(
        after file: MediaName, _ read: () throws(ScrubError) -> Value
    ) throws(ScrubError) -> Value {
        do throws(ScrubError) {
            return try read()
        } catch {
            guard (try? SeekTarget(file.shown)) != nil else { throw error }
            throw ScrubError(
                .usage, "\(error.causeWording), but the file name '\(file.shown)' is a position",
                advice: "the two may be swapped: write the file first, then the position")
        }
    }

    /// Returns the frame. Prints a note to standard error if the position is outside the video.
    ///
    /// - Parameter clamps: whether a position outside the video names the nearest end.
    /// - Throws: `usage` for a frame that does not exist, and a position outside the video that is not clamped.
    static func frame(
        _ text: String, _ position: FramePosition, in asset: VideoAsset, clamps: Bool
    ) throws(ScrubError) -> (frame: PresentedFrame, isClamped: Bool) {
        let found = try asset.resolved(position, clamps: true)
        guard found.isClamped, let place = asset.outside(position, text: text) else { return found }
        guard clamps else { throw place.error(advice: clampAdvice) }
        Terminal.say("\(text) is outside the video, so \(found.frame.numberText) is used (\(place.note))")
        return found
    }
}
#endif
