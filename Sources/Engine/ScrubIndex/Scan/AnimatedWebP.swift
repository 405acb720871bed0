internal import ScrubFileIO
internal import ScrubBase

/// Animated WebP files, in which FFmpeg's demuxer finds one packet and its decoder finds no picture.
enum AnimatedWebP {
    /// Returns the error for such a file; `nil` for other files.
    ///
    /// Call it only for files from which nothing was decoded: a decoder that produces pictures from them is always
    /// right.
    static func refusal(of file: MediaSource) -> ScrubError? {
        guard file.byteCount >= 21, let head = try? file.read(at: 0, count: 21), isAnimated(head) else { return nil }
        return ScrubError(
            .unavailable, "is an animated WebP picture, but this FFmpeg decodes only still WebP pictures",
            file: file.path,
            advice: "use another program to convert it to an APNG, a GIF or a video")
    }

    /// Returns whether the header of an extended file says that it is animated (RFC 9649, 2.7: the chunk VP8X, whose
    /// first byte has the flag A).
    static func isAnimated(_ head: [UInt8]) -> Bool {
        head.count >= 21 && head[0..<4].elementsEqual("RIFF".utf8) && head[8..<16].elementsEqual("WEBPVP8X".utf8)
            && head[20] & 0x02 != 0
    }
}
