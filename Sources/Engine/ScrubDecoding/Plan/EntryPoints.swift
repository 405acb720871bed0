package import ScrubBase

/// The frames at which another program may begin: it goes to their times with libavformat, decodes from there, and gets
/// them and every frame after them right. Pure: where libavformat arrives is asked of the caller.
///
/// Such a program takes a list of key frames. For a frame it goes to the time of the last listed one that is not after
/// it. For a frame before all of them it goes to the frame's own time. Then it decodes until the time comes by.
package struct EntryPoints: Sendable, Hashable {
    /// Where libavformat arrives.
    package struct Landing: Sendable, Hashable {
        /// The coded picture of the first packet that is read.
        package var picture: Int
        /// Whether libavformat calls that packet a keyframe.
        package var isKey: Bool

        package init(picture: Int, isKey: Bool) { (self.picture, self.isKey) = (picture, isKey) }
    }

    /// Numbers of frames, ascending.
    package private(set) var frames: [Int] = []
    /// Those at whose own picture libavformat arrives.
    package private(set) var direct: [Int] = []
    /// The first frame that cannot be reached; `nil` if all can.
    package private(set) var unreachable: Int?

    /// - Parameters:
    ///   - count: the number of frames.
    ///   - time: a frame's presentation time, in units of the stream's time base. The times rise.
    ///   - picture: a frame's coded picture.
    ///   - isKey: whether decoding may begin at a frame's own picture, and the container calls it a keyframe.
    ///   - restart: the coded picture from which a frame is right, decoded from there on; 0 for the beginning.
    ///   - landing: where libavformat arrives for a time; `nil` if it fails, or nothing known comes out there. Asked
    ///     from late to early times: a demuxer that has not seen the file's middle yet has to find its end too.
    package init(
        count: Int, time: (Int) -> Int64, picture: (Int) -> Int, isKey: (Int) -> Bool, restart: (Int) -> Int,
        landing: (Int64) throws(ScrubError) -> Landing?
    ) throws(ScrubError) {
        var end = count
        for first in (0..<count).reversed() where isKey(first) {
            let key = picture(first)
            guard let found = try landing(time(first)), found.picture <= key else { continue }
            // The other program does not take for a keyframe what libavformat does not call one.
            guard found.isKey || found.picture < key else { continue }
            // A frame that was decoded before the key is decoded from further back.
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
