package import ScrubBase

/// The frames at which another program may begin: it seeks to their times with libavformat, decodes from there, and
/// produces these and all later frames correctly. Pure: the caller reports where libavformat lands.
///
/// Such a program receives a list of key frames. For each frame, it seeks to the time of the last listed key frame that
/// is not after it, or to the frame's own time if there is none. It then decodes until it reaches the frame's time.
package struct EntryPoints: Sendable, Hashable {
    /// The position where libavformat lands.
    package struct Landing: Sendable, Hashable {
        /// The coded picture of the first packet read.
        package var picture: Int
        /// Whether libavformat marks that packet as a keyframe.
        package var isKey: Bool

        package init(picture: Int, isKey: Bool) { (self.picture, self.isKey) = (picture, isKey) }
    }

    /// The numbers of the frames, in ascending order.
    package private(set) var frames: [Int] = []
    /// The frames for which libavformat lands at their own picture.
    package private(set) var direct: [Int] = []
    /// The first unreachable frame; `nil` if all are reachable.
    package private(set) var unreachable: Int?

    /// Determines the entry points.
    ///
    /// - Parameters:
    ///   - count: the number of frames.
    ///   - time: returns a frame's presentation time, in units of the stream's time base. The times increase.
    ///   - picture: returns a frame's coded picture.
    ///   - isKey: returns whether decoding may begin at a frame's own picture, and the container marks it as a
    ///     keyframe.
    ///   - restart: returns the coded picture from which decoding produces the frame correctly; 0 for the beginning.
    ///   - landing: returns where libavformat lands for a time; `nil` if it fails, or if no known picture is output
    ///     there. Called from late to early times, because a demuxer that has not yet read the file's middle must also
    ///     find its end.
    package init(
        count: Int, time: (Int) -> Int64, picture: (Int) -> Int, isKey: (Int) -> Bool, restart: (Int) -> Int,
        landing: (Int64) throws(ScrubError) -> Landing?
    ) throws(ScrubError) {
        var end = count
        for first in (0..<count).reversed() where isKey(first) {
            let key = picture(first)
            guard let found = try landing(time(first)), found.picture <= key else { continue }
            // The other program does not treat a packet as a keyframe unless libavformat marks it.
            guard found.isKey || found.picture < key else { continue }
            // A frame that comes before the keyframe in decode order is decoded from further back.
            guard (first..<end).allSatisfy({ picture($0) >= key || found.picture <= restart($0) }) else { continue }
            frames.append(first)
            if found.picture == key { direct.append(first) }
            end = first
        }
        frames.reverse()
        direct.reverse()
        for number in (0..<end).reversed() {
            guard let found = try landing(time(number)), found.picture <= restart(number) else {
                unreachable = number
                return
            }
        }
    }
}
