package import ScrubBase
package import ScrubFileIO
package import ScrubMedia

extension FrameMapFormat {
    /// Pieces are handed over when they are so long together.
    private static let pieceByteCount = 1 << 16

    /// Writes the map of a video into a file, which gets its name when it is complete.
    package func write(_ asset: VideoAsset, to file: OutputFile) throws(ScrubError) {
        // A video that has no map is refused before its file is begun.
        var output: ByteOutput?
        try pieces(of: asset) { (piece) throws(ScrubError) in
            if output == nil {
                try file.makeFolders()
                output = try ByteOutput(file)
            }
            try output?.write(Array(piece.utf8))
        }
        try output?.finish()
    }

    /// Hands over the text of the map of a video, piece by piece.
    ///
    /// - Throws: `badData` for a video that the other program would get wrong whatever the map says; the errors of
    ///   `deliver`; ``ScrubError/cancelled`` when the work on this thread is cancelled.
    package func pieces(
        of asset: VideoAsset, _ deliver: (String) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let format = self
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
        var piece = text.head
        for frame in asset.frames {
            piece += text.piece(MappedFrame(frame, isKey: keys?.contains(frame.number)))
            guard piece.utf8.count >= Self.pieceByteCount else { continue }
            try deliver(piece)
            try Cancellation.check()
            piece = ""
        }
        try deliver(piece + text.end)
        try asset.checkReads()
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
