internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV

extension StreamFacts {
    /// Finds a display matrix in the messages of a picture if the container has none.
    ///
    /// For remote H.264 streams, these bytes have already been read. For other remote streams, nothing is fetched.
    mutating func findDisplayOrientation(atPicture picture: Int, of pictures: CodedPictures, in file: MediaSource) {
        guard displayMatrix == nil, codec == .h264 || codec == .hevc && !file.isRemote,
            pictures.offsets.indices.contains(picture)
        else { return }
        let description = pictures.descriptions.isEmpty ? 0 : Int(pictures.descriptions[picture])
        guard
            let head = SampleHead(
                offset: pictures.offsets[picture], size: pictures.sizes[picture], firstRead: 4096, file: file)
        else { return }
        displayMatrix = DisplayOrientation.matrix(
            inPacket: head.bytes.span, codec: codec, extradata: descriptions[description].extradata)
    }
}
