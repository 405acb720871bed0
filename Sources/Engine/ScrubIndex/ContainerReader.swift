package import ScrubFileIO
internal import ScrubISOMedia
package import ScrubLibAV
internal import ScrubBase

/// Reads the metadata of a whole file: all streams, chapters, and tags.
package enum ContainerReader {
    /// Opens the container and returns its description. For an MP4 without chapters or timecode tracks, only the movie
    /// box without its tables is read.
    ///
    /// If the container says too little about its streams (MPEG transport streams), libavformat reads the first
    /// packets.
    ///
    /// - Throws: the error of libavformat for a file that it cannot open.
    package static func describe(_ file: MediaSource) throws(AVError) -> ContainerDescription {
        if let header = slimHeader(file), let input = try? Input(bytes: header, format: "mov", of: file) {
            return described(input)
        }
        var input = try Input(file, name: file.path)
        let description = described(input)
        guard description.streams.isEmpty || description.streams.contains(where: \.isIncomplete) else {
            return description
        }
        try? input.findStreamInfo()
        return described(input)
    }

    /// Returns the description, with the actual sizes of attached stills, which headers rarely give.
    private static func described(_ input: borrowing Input) -> ContainerDescription {
        var description = input.containerDescription
        guard description.streams.contains(where: { $0.isCover && $0.width == 0 }) else { return description }
        let streams = input.streams
        for i in description.streams.indices where description.streams[i].isCover && description.streams[i].width == 0 {
            guard let bytes = input.coverBytes(ofStream: description.streams[i].index),
                let codec = streams.first(where: { $0.index == description.streams[i].index })?.codec,
                let picture = SharedFrame.still(bytes, codec)
            else { continue }
            (description.streams[i].width, description.streams[i].height) = (picture.frame.width, picture.frame.height)
        }
        return description
    }

    /// Returns a movie's header without its tables. It has everything except the content of samples, such as chapter
    /// titles and the start timecode, which are samples of separate tracks.
    private static func slimHeader(_ file: MediaSource) -> [UInt8]? {
        guard Movie.isISOMedia(file), let movie = try? Movie(reading: file),
            !movie.tracks.contains(where: { ["text", "tmcd"].contains($0.handler) })
        else { return nil }
        return try? movie.slimHeader()
    }
}
