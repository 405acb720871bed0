internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubMatroska

/// The location of a video's transparency, if its pictures' own pixel format has none.
package enum AlphaSource: UInt8, Sendable {
    /// No other location: any transparency is in the pictures.
    case none
    /// In block additions of a Matroska file, as the luma of a second VP8 or VP9 stream (RFC 9559, 5.1.4.1.28.4).
    case blocks
    /// In a separate track of an image sequence, such as an animated AVIF (ISO/IEC 23008-12, 7.5.3).
    case track
    /// In a separate item of an image file, such as an AVIF (ISO/IEC 23008-12, 6.6.2.1.1).
    case item
    /// In a layer of the HEVC stream (Rec. ITU-T H.265, annex F and D.2.38).
    case layer

    /// Whether pictures with this transparency can be decoded here.
    package var isReadable: Bool { self != .none && self != .layer }
}

extension AlphaSource {
    /// Creates the value for a Matroska track.
    init(of track: TrackEntry, _ codec: VideoCodec) {
        self = track.hasAlpha && (codec == .vp8 || codec == .vp9) ? .blocks : .none
    }

    /// Creates the value for one of a movie's tracks.
    init(of track: Track, in movie: Movie, _ codec: CodecDescription) {
        if movie.tracks.contains(where: { $0.alphaOf == track.id && track.id > 0 }) {
            self = .track
        } else {
            self = codec.hasAlphaLayer ? .layer : .none
        }
    }

    /// Creates the value for a stream that libavformat reads.
    init(of stream: StreamDescription, in file: MediaSource) {
        let codec = VideoCodec(named: stream.codec.codecName)
        self = stream.codec.hasAlphaLayer ? .layer : AlphaSource.none
        if codec == .vp8 || codec == .vp9, MatroskaSegment.isEBML(file),
            let segment = try? MatroskaSegment(reading: file)
        {
            let tracks = MatroskaIndexer.streamTracks(segment)
            if tracks.indices.contains(stream.index) { self.init(of: tracks[stream.index], codec) }
        } else if Movie.isISOMedia(file) {
            if let movie = try? Movie(reading: file) {
                guard let track = movie.track(id: UInt32(clamping: stream.id)) else { return }
                self.init(of: track, in: movie, stream.codec)
            } else if stream.index == 0, AlphaItem(in: file) != nil {
                self = .item
            }
        }
    }
}

extension CodecDescription {
    /// Whether the HEVC parameter sets announce an alpha layer: an SEI message of alpha channel information (D.2.38).
    fileprivate var hasAlphaLayer: Bool {
        codecName == "hevc" && HEVCAlphaChannel.isAnnounced(in: extradata.span)
    }
}
