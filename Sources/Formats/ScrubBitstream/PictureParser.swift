/// Reads the picture headers of one video stream, packet by packet in decoding order.
///
/// A value type: a copy continues from the same state. No input can make it trap.
package struct PictureParser: Sendable {
    /// The stream's format.
    package let codec: VideoCodec
    // Each format's state is in a separate optional, so that it can be changed in place.
    private var h264: H264PictureParser?
    private var hevc: HEVCPictureParser?
    private var av1: AV1PictureParser?
    private var vp8: VP8PictureParser?
    private var vp9: VP9PictureParser?
    private var mpegVideo: MPEGVideoPictureParser?
    private var mpeg4: MPEG4PictureParser?

    /// Creates a parser at the start of a stream whose out-of-band configuration is `extradata`, as stored in the
    /// container: avcC, hvcC, av1C, Annex B or a bare sequence header. It may be empty.
    ///
    /// - Parameter recordsSets: whether to find ``dependentRestarts`` (H.264, HEVC).
    package init(codec: VideoCodec, extradata: [UInt8], recordsSets: Bool = false) {
        self.codec = codec
        let bytes = extradata.span
        switch codec {
        case .h264: h264 = H264PictureParser(extradata: bytes, recordsSets: recordsSets)
        case .hevc: hevc = HEVCPictureParser(extradata: bytes, recordsSets: recordsSets)
        case .av1: av1 = AV1PictureParser(extradata: bytes)
        case .vp8: vp8 = VP8PictureParser()
        case .vp9: vp9 = VP9PictureParser()
        case .mpeg1, .mpeg2: mpegVideo = MPEGVideoPictureParser(extradata: bytes)
        case .mpeg4: mpeg4 = MPEG4PictureParser(extradata: bytes)
        case .other: break
        }
    }

    /// Reads one whole packet: an access unit, a field, a temporal unit or a frame.
    package mutating func parse(_ packet: Span<UInt8>) -> CodedPicture {
        parse(packet, isWhole: true)
    }

    /// Reads the first bytes of a packet: the bytes after them are unknown.
    package mutating func parse(head: Span<UInt8>) -> CodedPicture { parse(head, isWhole: false) }

    /// Forgets the pictures read so far but not the parameter sets, as at a jump or a gap in the stream.
    package mutating func reset() {
        h264?.reset()
        hevc?.reset()
        av1?.reset()
        vp8?.reset()
        vp9?.reset()
        mpegVideo?.reset()
        mpeg4?.reset()
    }

    /// Reads another configuration, which precedes the next packet in the container. Its sets are added to the active
    /// ones (H.264, HEVC). Decoders of other codecs keep the first configuration.
    package mutating func take(configuration: [UInt8]) {
        h264?.history?.beginConfiguration()
        h264?.take(configuration: configuration.span)
        hevc?.history?.beginConfiguration()
        hevc?.take(configuration: configuration.span)
    }

    /// The number of times that H.264 or HEVC parameter sets have been added or changed so far.
    package var parameterSetGeneration: Int { h264?.generation ?? hevc?.generation ?? 0 }

    /// Records that decoding may begin with the packet that was read last.
    package mutating func mayBegin(with picture: Int) {
        h264?.history?.mayBegin(with: picture)
        hevc?.history?.mayBegin(with: picture)
    }

    /// The pictures passed to ``mayBegin(with:)`` at which a new decoder has different parameter sets than a linear
    /// decoder.
    package var dependentRestarts: [Int] { (h264?.history ?? hevc?.history)?.dependentRestarts ?? [] }

    /// Announces that the next packet is not the stream's beginning: pictures before it may still be waiting to be
    /// shown (HEVC).
    package mutating func expectEarlier() { hevc?.expectEarlier() }

    /// The number of pictures that may precede a picture in decoding order and follow it in presentation order. `nil`
    /// unless the last sequence header specifies it (H.264 `max_num_reorder_frames`, HEVC `sps_max_num_reorder_pics`).
    package var reorderLimit: Int? {
        h264?.activeSequence?.reorderLimit ?? hevc?.activeSequence?.reorderLimit
    }

    /// The pictures of the stream that a decoder must hold, as far as its configuration specifies.
    package var buffering: PictureBuffering? {
        if let set = h264?.activeSequence {
            return PictureBuffering(
                pictureLimit: set.bufferLimit, level: set.level, chromaFormat: set.chromaFormat,
                bitDepth: set.bitDepth)
        }
        if let set = hevc?.activeSequence {
            return PictureBuffering(
                // The buffer also contains the picture being decoded (C.5.2.2).
                pictureLimit: set.bufferLimit - 1, level: nil, chromaFormat: set.chromaFormat, bitDepth: set.bitDepth)
        }
        return nil
    }

    /// Whether the active sequence set allows pictures to be coded as fields, which may be in separate packets (H.264
    /// `frame_mbs_only_flag` 0), or is unknown.
    package var mayHoldFields: Bool { codec == .h264 && h264?.activeSequence?.isFrameOnly != true }

    /// Whether the active sequence set declares pictures to be single fields (H.265 A.4.4, only
    /// `general_interlaced_source_flag`).
    package var isOfFields: Bool { hevc?.activeSequence?.isOfFields ?? false }

    /// Whether an MPEG-4 Part 2 stream declares that it packs two planes into a packet and fills the next one with a
    /// plane that is not coded.
    package var isPackedBitstream: Bool { mpeg4?.isPacked ?? false }

    /// Whether MPEG-4 Part 2 planes may be coded as fields, or there has been no layer yet.
    package var mayHoldFieldMotion: Bool { codec == .mpeg4 && mpeg4?.isInterlaced != false }

    /// Whether H.264 pictures may be missing on purpose, in which case decoders generate frames for them.
    package var allowsGaps: Bool { h264?.activeSequence?.allowsGaps ?? false }

    /// Whether H.264's `frame_num` jumps at the picture read last although gaps are not allowed (7.4.3), which means
    /// that a picture is lost, moved or duplicated.
    package func jumpsFrameNumber(at picture: CodedPicture) -> Bool { !picture.continuesFrameNumbers && !allowsGaps }

    /// The outcome of reading a sample by itself, without the samples before it.
    package enum SampleVerdict: Sendable, Equatable {
        /// The sample's picture, as if the stream began here. If only the start of the sample was given, fields that
        /// need all slices (``CodedPicture/isIntra``, ``CodedPicture/isReference``) describe only the given slices.
        case picture(CodedPicture)
        /// The picture's header extends beyond the given bytes.
        case needsMoreBytes
        /// The bytes do not contain a readable picture.
        case unreadable
    }

    /// Classifies one sample with the parameter sets known so far, independently of other pictures, without changing
    /// this parser.
    ///
    /// - Parameters:
    ///   - head: the sample's first bytes, or all of them.
    ///   - isWhole: whether `head` is the entire sample.
    package func examine(sampleHead head: Span<UInt8>, isWhole: Bool) -> SampleVerdict {
        var copy = self
        copy.reset()
        let picture = copy.parse(head, isWhole: isWhole)
        if picture.isUnderstood, picture.pictureCount > 0 || picture.isNotCoded { return .picture(picture) }
        if !isWhole { return .needsMoreBytes }
        // Even with an unreadable slice header, the NAL unit type can show a restart.
        return picture.pictureCount > 0 ? .picture(picture) : .unreadable
    }

    /// Reads one packet; `isWhole` is false if only its first bytes are given.
    mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> CodedPicture {
        switch codec {
        case .h264: h264?.parse(packet, isWhole: isWhole) ?? .notUnderstood
        case .hevc: hevc?.parse(packet, isWhole: isWhole) ?? .notUnderstood
        case .av1: av1?.parse(packet, isWhole: isWhole) ?? .notUnderstood
        case .vp8: vp8?.parse(packet) ?? .notUnderstood
        case .vp9: vp9?.parse(packet, isWhole: isWhole) ?? .notUnderstood
        case .mpeg1, .mpeg2: mpegVideo?.parse(packet) ?? .notUnderstood
        case .mpeg4: mpeg4?.parse(packet) ?? .notUnderstood
        case .other: .notUnderstood
        }
    }
}
