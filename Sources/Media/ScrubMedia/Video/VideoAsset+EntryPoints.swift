package import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// Returns the frames at which another program may begin that goes to times with libavformat, as torchcodec and
    /// CVAT do.
    ///
    /// Reads each key picture once and decodes nothing. On the network that is a request for each.
    ///
    /// - Parameter program: its name, for errors.
    /// - Returns: the frames' numbers, ascending, and those among them that are the first to come out of a decoder.
    /// - Throws: `badData` if such a program would take one frame for another, whatever it is told, with what to do;
    ///   `inputOutput` if reading fails.
    package func entryPoints(for program: String) throws(ScrubError) -> (all: [Int], first: [Int]) {
        try checkTimesRise(for: program)
        let (points, first, lacksTimes) = try seekPlanner().entryPoints()
        try checkReads()
        if lacksTimes {
            throw ScrubError(
                .badData, "has no presentation times, by which \(program) knows frames", file: path,
                advice: "encode it again into MP4 or Matroska, or make a list as CSV, whose times are worked out here")
        }
        if let frame = points.unreachable {
            let usual = ", as in most transport and program streams with B pictures"
            throw ScrubError(
                .badData,
                "\(program) would not find it: going to its time, libavformat arrives behind the picture from which it "
                    + "is decoded" + (index.facts.route == .direct ? "" : usual),
                file: path, place: .frame(frame),
                advice: "copy it into another container and make the map of that: ffmpeg -i FILE -c copy NEW.mp4")
        }
        return (points.frames, first)
    }

    /// The stream's place in its file, as ffmpeg's `-map 0:N` counts.
    package var streamIndex: Int { index.facts.streamIndex }

    private func checkTimesRise(for program: String) throws(ScrubError) {
        guard frames.count > 1 else { return }
        for number in 1..<frames.count {
            let (before, own) = (index.presentationTime(ofFrame: number - 1), index.presentationTime(ofFrame: number))
            guard own <= before else { continue }
            throw ScrubError(
                .badData,
                "has the time \(own), which is not after the \(before) of the frame before it, and "
                    + "\(program) knows frames by their times",
                file: path, place: .frame(number),
                advice: "encode it again, or make a list as CSV, which numbers the frames")
        }
    }
}
