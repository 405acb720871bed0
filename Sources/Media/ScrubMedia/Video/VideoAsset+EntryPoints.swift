package import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex

extension VideoAsset {
    /// Returns the frames at which another program may begin that seeks by time with libavformat, as torchcodec and
    /// CVAT do.
    ///
    /// It reads each key picture once and does not decode. On the network, each is a separate request.
    ///
    /// - Parameter program: the program's name, for errors.
    /// - Returns: the frames' numbers, in ascending order, and those among them that are the first output of a decoder.
    /// - Throws: `badData`, with a remedy, if such a program would confuse frames in any case; `inputOutput` if reading
    ///   fails.
    package func entryPoints(for program: String) throws(ScrubError) -> (all: [Int], first: [Int]) {
        try checkTimesRise(for: program)
        let (points, first, lacksTimes) = try seekPlanner().entryPoints()
        try checkReads()
        if lacksTimes {
            throw ScrubError(
                .badData, "has no presentation times, which \(program) uses to identify frames", file: path,
                advice: "re-encode it to MP4 or Matroska, or make a CSV list, for which Scrub computes the times")
        }
        if let frame = points.unreachable {
            let usual = ", as in most transport and program streams with B pictures"
            throw ScrubError(
                .badData,
                "\(program) would not find this frame: a seek to its time takes libavformat past the picture where its "
                    + "decoding starts" + (index.facts.route == .direct ? "" : usual),
                file: path, place: .frame(frame),
                advice: """
                    copy the file into another container and make the map from the copy: \
                    ffmpeg -i FILE -c copy NEW.mp4
                    """)
        }
        return (points.frames, first)
    }

    /// The stream's index in its file, as in ffmpeg's `-map 0:N`.
    package var streamIndex: Int { index.facts.streamIndex }

    private func checkTimesRise(for program: String) throws(ScrubError) {
        guard frames.count > 1 else { return }
        for number in 1..<frames.count {
            let (before, own) = (index.presentationTime(ofFrame: number - 1), index.presentationTime(ofFrame: number))
            guard own <= before else { continue }
            throw ScrubError(
                .badData,
                "has the time \(own), which is not after the previous frame's \(before); "
                    + "\(program) identifies frames by their times",
                file: path, place: .frame(number),
                advice: "re-encode it, or make a CSV list, which identifies frames by number")
        }
    }
}
