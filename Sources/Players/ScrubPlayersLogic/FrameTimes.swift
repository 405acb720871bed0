package import ScrubBase

/// The times of one medium's frames on screen, in the medium's own units.
///
/// The first frame starts at 0. Starts never decrease, and an end is never before its start. Frames may share a time;
/// their numbers distinguish them.
package protocol FrameTimes: Sendable {
    /// The number of frames, 1 or more.
    var frameCount: Int { get }
    /// The duration of a unit in seconds, above 0.
    var timeBase: Rational { get }
    /// Returns the time at which a frame appears on screen, in units after the first frame. The frame must exist.
    func start(ofFrame number: Int) -> Int64
    /// Returns the time at which the next frame replaces it, in units after the first frame. The frame must exist.
    func end(ofFrame number: Int) -> Int64
}
