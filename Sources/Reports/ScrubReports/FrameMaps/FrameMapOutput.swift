package import ScrubBase
package import ScrubFileIO
package import ScrubMedia

extension FrameMapFormat {
    /// The total length at which pieces are delivered.
    private static let pieceByteCount = 1 << 16

    /// Writes a video's map to a file, which gets its name when it is complete.
    package func write(_ asset: VideoAsset, to file: OutputFile) throws(ScrubError) {
        // A video without a map is rejected before its file is created.
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

    /// Delivers the text of a video's map, piece by piece.
    ///
    /// - Throws: `badData` for a video that the other program would misread with any map; the errors of
    ///   `deliver`; ``ScrubError/cancelled`` if the work on this thread is cancelled.
    package func pieces(
        of asset: VideoAsset, _ deliver: (String) throws(ScrubError) -> Void
    ) throws(ScrubError) {
        let format = self
        let info = format == .cvat ? try asset.info() : nil
        if let info { try asset.checkIsFirstVideo(info) }
        let points = try format.reader.map { (program) throws(ScrubError) in try asset.entryPoints(for: program) }
        // CVAT assumes that the decoder's first frame is the requested one.
        let keys = points.map { Set(format == .cvat ? $0.first : $0.all) }
        if format == .cvat, keys?.contains(0) != true {
            throw ScrubError(
                .badData, "does not begin with a keyframe, which CVAT requires", file: asset.path,
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
    /// Throws if CVAT, which always reads a file's first video stream, would show another stream.
    fileprivate func checkIsFirstVideo(_ info: VideoInfo) throws(ScrubError) {
        guard let first = info.streams.first(where: { $0.kind == .video })?.index, first != streamIndex else {
            return
        }
        throw ScrubError(
            .badData, "the map is for stream \(streamIndex), but CVAT reads the first video stream, \(first)",
            file: path,
            advice: """
                extract the stream, and make a map of the new file: \
                ffmpeg -i FILE -map 0:\(streamIndex) -c copy NEW.mp4; or choose the first stream, \(first) \
                (\(term: .stream))
                """
        )
    }

    /// Returns the facts at the head of a map.
    ///
    /// - Parameter info: for formats that include the pictures' size.
    fileprivate func mappedFilm(_ info: VideoInfo?) -> FrameMapText.Film {
        FrameMapText.Film(
            name: path.publicName.mediumName, width: info?.width ?? 0, height: info?.height ?? 0,
            frameCount: frames.count, stream: streamIndex, timeBase: frames.first?.timeBase ?? .one)
    }
}
