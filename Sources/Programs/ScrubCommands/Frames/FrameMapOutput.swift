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
    /// A file, or `-` for standard output.
    let path: String

    /// Pieces are handed over when they are so long together.
    private static let enough = 1 << 16

    /// Writes the map of a video.
    func write(_ asset: VideoAsset) throws(ScrubError) {
        let points = try format.reader.map { (program) throws(ScrubError) in try asset.entryPoints(for: program) }
        // CVAT takes the first frame out of the decoder for the one that it asked for.
        let keys = points.map { Set(format == .cvat ? $0.first : $0.all) }
        if format == .cvat, keys?.contains(0) != true {
            throw ScrubError(
                .badData, "does not begin with a key frame, as CVAT wants it", file: asset.path,
                advice: "encode it again: ffmpeg -i FILE NEW.mp4")
        }
        var text = FrameMapText(format, of: try asset.mappedFilm(hasSize: format == .cvat))
        let output = try path == "-" ? nil : self.output
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

    private var output: ByteOutput {
        get throws(ScrubError) {
            if let above = Folder.folder(of: path) { try Folder.make(above) }
            return try ByteOutput(path: path)
        }
    }

    private func write(_ text: String, to output: ByteOutput?) throws(ScrubError) {
        guard let output else { return try Terminal.write(Array(text.utf8)) }
        try output.write(Array(text.utf8))
    }
}

extension VideoAsset {
    /// Returns the facts at the head of a map.
    ///
    /// - Parameter hasSize: whether the pictures' size is one of them, for which one may be decoded.
    fileprivate func mappedFilm(hasSize: Bool) throws(ScrubError) -> FrameMapText.Film {
        let info = hasSize ? try self.info() : nil
        return FrameMapText.Film(
            name: path.publicName.mediumName, width: info?.width ?? 0, height: info?.height ?? 0,
            frameCount: frames.count, stream: streamIndex, timeBase: frames.first?.timeBase ?? .one)
    }
}
#endif
