package import ScrubBase

/// When the frames of one medium are on screen, in the medium's own units.
///
/// The first frame starts at 0; starts never decrease, and an end never lies before its start. Frames may share a time:
/// they are told apart by their numbers.
package protocol FrameTimes: Sendable {
    /// How many frames there are, 1 or more.
    var frameCount: Int { get }
    /// Seconds that one unit is, above 0.
    var timeBase: Rational { get }
    /// When a frame comes on screen, in units after the first one. The frame exists.
    func start(ofFrame number: Int) -> Int64
    /// When the next one takes its place, in units after the first one. The frame exists.
    func end(ofFrame number: Int) -> Int64
}
