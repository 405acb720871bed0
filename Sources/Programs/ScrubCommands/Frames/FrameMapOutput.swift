#if CommandLine
internal import ArgumentParser
internal import Scrub
internal import ScrubBase
internal import ScrubFileIO
internal import ScrubMedia

extension FrameMapFormat: ExpressibleByArgument {}

/// Writes a list of frames for another program.
struct FrameMapOutput {
    let format: FrameMapFormat
    /// The file; `nil` for standard output.
    let file: OutputFile?

    /// Pieces are handed over when they are so long together.
    private static let enough = 1 << 16

    /// Writes the map of a video.
    func write(_ asset: VideoAsset) throws(ScrubError) {
        let info = format == .cvat ? try asset.info() : nil
        if let info { try asset.checkIsFirstVideo(info) }
        let points = try format.reader.map { (program) throws(ScrubError) in try asset.entryPoints(for: program) }
        // CVAT takes the first frame out of the decoder for the one that it asked for.
        let keys = points.map { Set(format == .cvat ? $0.first : $0.all) }
        if format == .cvat, keys?.contains(0) != true {
            throw ScrubError(
                .badData, "does not begin with a key frame, as CVAT wants it", file: asset.path,
                advice: "encode it again: ffmpeg -i FILE NEW.mp4")
        }
        var text = FrameMapText(format, of: asset.mappedFilm(info))
        let output = try file.map { (file) throws(ScrubError) in
            try file.makeFolders()
            return try ByteOutput(file)
        }
        var piece = text.head
        for frame in asset.frames {
            piece += text.piece(MappedFrame(frame, isKey: keys?.contains(frame.number)))
            guard piece.utf8.count >= Self.enough else { continue }
            try write(piece, to: output)
            piece = ""
        }
        try write(piece + text.end, to: output)
        try asset.checkReads()
        try output?.finish()
    }

    private func write(_ text: String, to output: ByteOutput?) throws(ScrubError) {
        guard let output else { return try Terminal.write(Array(text.utf8)) }
        try output.write(Array(text.utf8))
    }
}

extension VideoAsset {
    /// Throws if CVAT, which always reads a file's first video stream, would show another one.
    fileprivate func checkIsFirstVideo(_ info: VideoInfo) throws(ScrubError) {
        guard let first = info.streams.first(where: { $0.kind == .video })?.index, first != streamIndex else {
            return
        }
        throw ScrubError(
            .badData, "the map is of stream \(streamIndex), and CVAT reads the first video stream, \(first)",
            file: path,
            advice: "copy the stream out and make the map of that: "
                + "ffmpeg -i FILE -map 0:\(streamIndex) -c copy NEW.mp4; or choose the first one (--stream \(first))")
    }

    /// Returns the facts at the head of a map.
    ///
    /// - Parameter info: for formats that say the pictures' size.
    fileprivate func mappedFilm(_ info: VideoInfo?) -> FrameMapText.Film {
        FrameMapText.Film(
            name: path.publicName.mediumName, width: info?.width ?? 0, height: info?.height ?? 0,
            frameCount: frames.count, stream: streamIndex, timeBase: frames.first?.timeBase ?? .one)
    }
}
#endif
