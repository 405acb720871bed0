package import ScrubBitstream
internal import ScrubFileIO
package import ScrubLibAV
package import ScrubBase

/// The known facts of the indexed stream, apart from its pictures.
package struct StreamFacts: Sendable, Equatable {
    /// The method of reading a packet's bytes again.
    package enum Route: UInt8, Sendable {
        /// Each payload is one run of bytes in the file, which is read at the offset in the index.
        case direct
        /// The payload is interleaved, escaped, or rewritten by the container: libavformat reads it, starting at a byte
        /// position.
        case demuxByByte
        /// As above, but libavformat can only seek by time.
        case demuxByTime
        /// libavformat can only read from the beginning.
        case demuxFromStart
    }

    /// The container's short name.
    package var container = ""
    /// The stream's index in the file, as counted by libavformat and ffmpeg's `-map 0:N`.
    package var streamIndex = 0
    /// The configurations with which a decoder is opened; several if the container changes parameters within the
    /// stream.
    package var descriptions: [CodecDescription] = []
    package var codec = VideoCodec.other
    package var route = Route.direct
    package var timeBase = Rational(1, 90_000)
    /// The container's sample aspect ratio; `nil` if it has none.
    package var sampleAspectRatio: Rational?
    /// The container's display matrix (ISO/IEC 14496-12 8.3.2), row by row. Without one, the matrix in the messages at
    /// the first picture. `nil` if there is none.
    package var displayMatrix: [Int32]?
    /// The part of the pictures that the container specifies for display; `nil` for the whole picture.
    package var cleanAperture: CleanAperture?
    /// The SMPTE timecode of the first picture, if the file gives one.
    package var startTimecode: Timecode?
    /// The x264 build named before or with the first picture, if there is one.
    package var x264Build: Int?
    /// Whether parameter sets change within the stream, so that pictures may differ in size or format.
    package var changesParameters = false
    /// Whether decoders add film grain to pictures (H.274). The grain depends on all earlier pictures, and libavcodec's
    /// threads do not share it. Therefore, one thread decodes everything.
    package var hasFilmGrain = false
    /// Whether a linear decode keeps its pixel format if only the sample range changes (h264_slice.c, non_j_pixfmt).
    /// Decoders of other codecs switch between a format and its full-range variant.
    package var ignoresRange: Bool { codec == .h264 }
    /// The part that the file declares but does not contain; `nil` if the file is complete or its container does not
    /// declare its contents.
    package var missing: MissingRange?
    /// The container's source of transparency, if the pictures' own format has none.
    package var alpha = AlphaSource.none
    /// The other videos of the file, if this one was chosen among several and not requested.
    package var chosenOver: [Int] = []
    /// Messages for display: truncation, lost segments, unusual tables.
    package var warnings: [String] = []

    package init() {}

    /// Creates the facts that a demuxer provides for a stream.
    init(_ stream: StreamDescription, container: String, file: MediaSource) {
        self.container = container
        streamIndex = stream.index
        descriptions = [stream.codec]
        codec = VideoCodec(named: stream.codec.codecName)
        timeBase = stream.timeBase
        sampleAspectRatio = stream.sampleAspectRatio
        displayMatrix = stream.codec.displayMatrix
        findCleanAperture(of: stream, in: file)
        startTimecode = stream.timecode
        chosenOver = stream.chosenOver
        alpha = AlphaSource(of: stream, in: file)
    }

    /// Records the part that the file does not contain, for programs and for display.
    mutating func lacks(_ part: MissingRange?) {
        guard let part else { return }
        missing = part
        warnings.append(part.sentence(timeBase: timeBase))
    }
}
