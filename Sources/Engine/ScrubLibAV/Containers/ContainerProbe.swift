internal import CScrubFFmpeg

/// The detection of a container by libavformat from the beginning of a file.
package enum ContainerProbe {
    /// The formats of other files in a folder of videos: pictures, audio only, subtitles, and lists of other files.
    private static let others: Set<String> = [
        "image2", "gif", "apng", "ico", "tty", "mp3", "flac", "wav", "w64", "aac", "ac3", "eac3", "dts", "dtshd",
        "truehd", "aiff",
        "amr", "amrnb", "amrwb", "ape", "au", "caf", "loas", "latm", "tta", "wv", "opus", "srt", "ass", "webvtt",
        "microdvd",
        "subviewer", "subviewer1", "sami", "lrc", "jacosub", "mpl2", "mpsub", "vplayer", "pjs", "realtext", "stl",
        "scc",
        "aqtitle", "sup", "vobsub", "ttml", "ffmetadata", "concat", "hls", "dash", "sdp", "rtsp", "bintext", "xbin",
        "adf", "idf",
        // Subtitles of talks: any JSON with captions in it, like other files in a folder of videos.
        "tedcaptions",
    ]

    /// The number of bytes that suffice to detect all formats except the rarest.
    package static let byteCount = 64 << 10

    /// Returns libavformat's name of the container with the given beginning; `nil` if the container is unknown or is
    /// not for video.
    ///
    /// Cost: a few tenths of a millisecond.
    package static func container(of head: [UInt8]) -> String? {
        guard let name = format(of: head),
            name.split(separator: ",").allSatisfy({ !others.contains(String($0)) && !$0.hasSuffix("_pipe") })
        else { return nil }
        return name
    }

    /// Returns whether bytes are the beginning of an image file, moving or not. These files are found in folders of
    /// videos but are not treated as videos there.
    ///
    /// Cost: a few tenths of a millisecond.
    package static func isPicture(_ head: [UInt8]) -> Bool {
        guard let name = format(of: head) else { return false }
        return ["gif", "apng", "image2", "ico"].contains(name) || name.hasSuffix("_pipe")
    }

    private static func format(of head: [UInt8]) -> String? {
        guard !head.isEmpty else { return nil }
        // The parsers may read a little beyond the given bytes.
        var padded = head + [UInt8](repeating: 0, count: Int(AVPROBE_PADDING_SIZE))
        let found: (name: String, score: Int32)? = unsafe padded.withUnsafeMutableBufferPointer { bytes in
            var data = unsafe AVProbeData()
            unsafe data.buf = bytes.baseAddress
            unsafe data.buf_size = Int32(clamping: head.count)
            var score: Int32 = 0
            guard let format = unsafe av_probe_input_format3(&data, 1, &score), let name = unsafe format.pointee.name
            else {
                return nil
            }
            return (unsafe String(cString: name), score)
        }
        // Below this score, libavformat itself would require more data (AVPROBE_SCORE_RETRY).
        guard let found, found.score > 25 else { return nil }
        return found.name
    }
}
