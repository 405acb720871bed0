package import ScrubBase
package import ScrubFileIO
package import ScrubThumbnails

extension CoverArt {
    /// Returns the cover's facts, for programs.
    ///
    /// - Parameters:
    ///   - film: the name of the file that contains the cover.
    ///   - output: the written file; `nil` if there is none.
    package func json(film: String, output: String?) -> JSONText {
        var line = json
        if let output { line.add("file", output) }
        var whole = JSONText()
        whole.add("file", film)
        whole.add("cover", .object(line))
        return whole
    }

    /// The cover's facts, without the files.
    package var json: JSONText {
        var line = JSONText()
        line.add("stream", stream)
        line.add("codec", codec)
        line.add("width", width)
        line.add("height", height)
        line.add("bytes", bytes.count)
        return line
    }

    /// Returns the selected cover.
    ///
    /// - Parameter stream: the stream that was named; `nil` for the first cover.
    package static func chosen(in source: MediaSource, stream: Int?) throws(ScrubError) -> CoverArt {
        let covers = try load(from: source)
        guard let cover = stream.map({ number in covers.first { $0.stream == number } }) ?? covers.first else {
            let streams = covers.map { "\($0.stream)" }.joined(separator: ", ")
            throw covers.isEmpty
                ? ScrubError(
                    .badData, "has no cover art", file: source.path,
                    advice: "make a poster instead, from a picture of the film")
                : ScrubError(
                    .usage, "stream \(stream ?? 0) is not cover art", file: source.path,
                    advice: "cover art is in stream \(streams)")
        }
        return cover
    }
}
