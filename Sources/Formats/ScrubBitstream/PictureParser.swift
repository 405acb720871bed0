/// Reads the picture headers of one video stream, packet by packet in decoding order.
///
/// A value: a copy goes on from the same state. Nothing it is given can make it trap.
package struct PictureParser: Sendable {
    /// The stream's format.
    package let codec: VideoCodec
    // Each format keeps its state in its own optional so that it can be changed in place.
    private var h264: H264PictureParser?
    private var hevc: HEVCPictureParser?
    private var av1: AV1PictureParser?
    private var vp8: VP8PictureParser?
    private var vp9: VP9PictureParser?
    private var mpegVideo: MPEGVideoPictureParser?
    private var mpeg4: MPEG4PictureParser?

    /// Starts at the beginning of a stream whose out-of-band configuration is `extradata` (avcC, hvcC, av1C,
    /// Annex B or a bare sequence header, as the container stores it; may be empty).
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

    /// Reads the first bytes of a packet: the bytes behind them are not known.
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

    /// Reads another configuration that the container has before the next packet. Its sets are added to the active ones
    /// (H.264, HEVC). Decoders of other codecs keep the first configuration.
    package mutating func take(configuration: [UInt8]) {
        h264?.history?.beginConfiguration()
        h264?.take(configuration: configuration.span)
        hevc?.history?.beginConfiguration()
        hevc?.take(configuration: configuration.span)
    }

    /// How often parameter sets of H.264 or HEVC have been added or changed so far.
    package var parameterSetGeneration: Int { h264?.generation ?? hevc?.generation ?? 0 }

    /// Records that decoding may begin with the packet that was read last.
    package mutating func mayBegin(with picture: Int) {
        h264?.history?.mayBegin(with: picture)
        hevc?.history?.mayBegin(with: picture)
    }

    /// The pictures named by ``mayBegin(with:)`` where a new decoder has different parameter sets than a linear
    /// decoder.
    package var dependentRestarts: [Int] { (h264?.history ?? hevc?.history)?.dependentRestarts ?? [] }

    /// Announces that the next packet is not the stream's beginning: pictures before it may still wait to be shown
    /// (HEVC).
    package mutating func expectEarlier() { hevc?.expectEarlier() }

    /// The number of pictures that may precede a picture in decoding order and follow it in presentation order. `nil`
    /// unless the last sequence header gives it (H.264 `max_num_reorder_frames`, HEVC `sps_max_num_reorder_pics`).
    package var reorderLimit: Int? {
        h264?.activeSequence?.reorderLimit ?? hevc?.activeSequence?.reorderLimit
    }

    /// The pictures of the stream that a decoder has to hold, as far as its configuration says.
    package var buffering: PictureBuffering? {
        if let set = h264?.activeSequence {
            return PictureBuffering(
                pictureLimit: set.bufferLimit, level: set.level, chromaFormat: set.chromaFormat,
                bitDepth: set.bitDepth)
        }
        if let set = hevc?.activeSequence {
            return PictureBuffering(
                // The buffer has the picture in work too (C.5.2.2).
                pictureLimit: set.bufferLimit - 1, level: nil, chromaFormat: set.chromaFormat, bitDepth: set.bitDepth)
        }
        return nil
    }

    /// Whether the sequence set in force lets pictures be coded as fields, which may come in packets of their own
    /// (H.264 `frame_mbs_only_flag` 0), or is not known.
    package var mayHoldFields: Bool { codec == .h264 && h264?.activeSequence?.isFrameOnly != true }

    /// Whether the active sequence set declares pictures to be single fields (H.265 A.4.4, only
    /// `general_interlaced_source_flag`).
    package var isOfFields: Bool { hevc?.activeSequence?.isOfFields ?? false }

    /// Whether an MPEG-4 Part 2 stream says that it packs two planes into a packet and fills the next one with a
    /// plane that is not coded.
    package var isPackedBitstream: Bool { mpeg4?.isPacked ?? false }

    /// Whether MPEG-4 Part 2 planes may be coded as fields, or there was no layer yet.
    package var mayHoldFieldMotion: Bool { codec == .mpeg4 && mpeg4?.isInterlaced != false }

    /// Whether H.264 pictures may be missing on purpose, for which decoders then make up frames.
    package var allowsGaps: Bool { h264?.activeSequence?.allowsGaps ?? false }

    /// Whether H.264's `frame_num` jumps at the picture read last, where gaps are not allowed (7.4.3): a picture is
    /// lost, moved or there twice.
    package func jumpsFrameNumber(at picture: CodedPicture) -> Bool { !picture.continuesFrameNumbers && !allowsGaps }

    /// The outcome of reading a sample by itself, without the ones before it.
    package enum SampleVerdict: Sendable, Equatable {
        /// The sample's picture as if the stream began here. With only a head of it, fields that need all slices
        /// (``CodedPicture/isIntra``, ``CodedPicture/isReference``) speak of the slices seen.
        case picture(CodedPicture)
        /// The picture's header lies beyond the bytes given.
        case needsMoreBytes
        /// The bytes don't hold a readable picture.
        case unreadable
    }

    /// Classifies one sample with the parameter sets known so far and no memory of other pictures; this parser
    /// stays as it is.
    ///
    /// - Parameters:
    ///   - head: The sample's first bytes, or all of them.
    ///   - isWhole: Whether `head` is all of the sample.
    package func examine(sampleHead head: Span<UInt8>, isWhole: Bool) -> SampleVerdict {
        var copy = self
        copy.reset()
        let picture = copy.parse(head, isWhole: isWhole)
        if picture.isUnderstood, picture.pictureCount > 0 || picture.isNotCoded { return .picture(picture) }
        if !isWhole { return .needsMoreBytes }
        // An unreadable slice header can't hide a NAL unit type that restarts by itself.
        return picture.pictureCount > 0 ? .picture(picture) : .unreadable
    }

    /// Reads one packet; `isWhole` is false when only its first bytes are given.
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
