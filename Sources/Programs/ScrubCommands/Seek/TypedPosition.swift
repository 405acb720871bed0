#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubBase

/// The choice for fractions outside 0...1.
struct ClampArgument: ParsableArguments {
    @Flag(help: "Take the first or last frame for a fraction outside 0 to 1, instead of refusing it.")
    var clamp = false
}

/// Positions as people type them.
enum TypedPosition {
    /// The other way out for a fraction outside 0...1.
    static let clampAdvice = "--clamp takes the nearer end"

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
                .usage, "\(error.cause), and the file '\(file.shown)' is one",
                advice: "perhaps swapped: the file comes first, then the position")
        }
    }

    /// Returns the frame, with a note on standard error where the position lies outside the video.
    ///
    /// - Parameter clamps: takes the nearer end for a fraction outside 0...1.
    /// - Throws: `usage` for a frame that does not exist, and a fraction outside 0...1 that is not clamped.
    static func frame(
        _ text: String, _ position: FramePosition, in asset: VideoAsset, clamps: Bool
    ) throws(ScrubError) -> (frame: PresentedFrame, isClamped: Bool) {
        let guess = asset.outsideGuess(position, text: text)
        if let guess, !clamps { throw guess.error(advice: clampAdvice) }
        let found = try asset.frame(at: position, clampsFractions: clamps)
        if found.isClamped {
            let note = guess.map { " (\($0.note))" } ?? ""
            Terminal.say("\(text) is outside the video; frame \(found.frame.number) is taken\(note)")
        }
        return found
    }
}
#endif
