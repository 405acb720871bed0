/// The kind of restart that is possible at a picture.
package enum RandomAccess: UInt8, Sendable {
    /// Not a restart.
    case none
    /// Everything after it in decode order is decodable: IDR, a key frame that refreshes every slot, an I picture
    /// of a closed group.
    case instantaneous
    /// Exact from this picture on in presentation order. Pictures presented before it but decoded after it (leading
    /// pictures) need the previous group.
    case open
    /// Exact only after ``CodedPicture/recoveryCount`` more pictures (intra refresh).
    case gradual
    /// The stream declares it "good enough", or it only looks like a restart. Never used for an exact answer.
    case inexact
}

/// The facts in the headers of one packet about its picture or pictures.
///
/// Every field has the conservative value until a header proves otherwise: no restart, shown, used for reference.
package struct CodedPicture: Sendable, Equatable {
    /// The strongest kind of prediction that a picture uses.
    package enum PictureType: UInt8, Sendable { case unknown, i, p, b }
    /// Whether the (first) picture is a frame or a field.
    package enum Structure: UInt8, Sendable { case frame, topField, bottomField }
    /// HEVC pictures that follow a restart in decode order and precede it in presentation order (H.265 3.75).
    package enum Leading: UInt8, Sendable {
        case none
        /// RASL: not decodable when decoding starts at the restart.
        case skipped
        /// RADL: decodable from the restart.
        case decodable
    }

    /// A decoder's reaction to a picture at which sequence headers change.
    package enum DecoderChange: Sendable, Equatable {
        case none
        /// The decoder is set up again. It loses the picture that is waiting to be shown, if there is one, and the
        /// leading pictures of an open group.
        case anew(losesWaiting: Bool, losesLeading: Bool)
        /// The decoder continues with its current setup, although samples are now coded in another format. Its pictures
        /// depend on its history.
        case ignored
        /// The decoder starts or stops holding pictures back.
        case delay
        /// HEVC only: earlier pictures that are still waiting to be shown are discarded (H.265 C.5.2.2,
        /// NoOutputOfPriorPicsFlag). Only a decoder knows how many are waiting.
        case discards
        /// HEVC only: the sequence ends where it must not (H.265 7.4.2.4.4). The pictures that libavcodec shows
        /// afterward depend on its threads rather than on the standard.
        case unproven
    }

    /// The picture that decoders never output because they give up in a later part of a packet.
    package enum Loss: Sendable, Equatable {
        case none
        /// The previous picture, which is waiting to be shown.
        case waiting
        /// The packet's own picture.
        case own
    }

    /// Film grain that decoders add to this picture and to later ones (H.274, H.264 D.2.21, H.265 D.3.22).
    package enum FilmGrain: Sendable, Equatable { case untold, given, cancelled }

    /// The kind of restart that is possible here.
    package var randomAccess = RandomAccess.none
    /// For ``RandomAccess/gradual``: `recovery_frame_cnt`, in steps of `frame_num` (H.264 D.2.8).
    package var recoveryCount = 0
    /// Whether every slice or frame in the packet is intra coded.
    package var isIntra = false
    package var pictureType = PictureType.unknown
    /// Whether decoding from the stream's start presents a picture because of this packet.
    package var isShown = true
    /// MPEG-4 Part 2 `vop_coded` 0: the packet means "repeat the last picture" and does not contain a picture.
    package var isNotCoded = false
    /// False only if provably no other picture depends on this packet.
    package var isReference = true
    package var structure = Structure.frame
    /// Whether the packet contains both fields of a frame as two pictures.
    package var isFieldPair = false
    /// Whether the picture completes the frame begun by the previous packet.
    package var isSecondField = false
    package var leading = Leading.none
    /// Whether order counts start again here: IDR, HEVC IRAP with NoRaslOutputFlag, H.264 operation 5.
    package var startsSequence = false
    /// The picture order count since the last ``startsSequence``, for H.264 and HEVC; for a frame or field pair, the
    /// smaller of its fields' counts.
    package var orderCount: Int?
    /// HEVC: whether a decoder may already hold a picture with this order count. If so, it drops this picture and
    /// continues with the other one; a decoder that begins here does not.
    package var repeatsOrder = false
    /// HEVC: whether decoders have output a picture that follows this one in output order. If so, they output this one
    /// out of order.
    package var isLate = false
    /// H.264 `frame_num`.
    package var frameNumber: Int?
    /// Whether H.264's `frame_num` continues from the last reference picture's as in a complete stream (7.4.3). If it
    /// does not, libavcodec fills the gap with the last picture that it was given, whatever that was.
    package var continuesFrameNumbers = true
    /// HEVC TemporalId, AV1 `temporal_id`.
    package var temporalID = 0
    /// MPEG-1/2/4 `broken_link` or the recovery point's: leading pictures must not be shown, even in linear playback.
    package var isBrokenLink = false
    /// MPEG-1/2/4 `closed_gop` of a group header in this packet.
    package var isClosedGroup = false
    /// MPEG-1/2 `temporal_reference`: the display order in the group, modulo 1024.
    package var temporalReference: Int?
    /// MPEG-2 `top_field_first`.
    package var isTopFieldFirst = false
    /// MPEG-2 `repeat_first_field`.
    package var repeatsFirstField = false
    /// The number of coded frames in the packet (VP9 superframe, AV1 temporal unit, packed MPEG-4). A field, and a pair
    /// of fields, counts as one. 0 if no picture header was found.
    package var pictureCount = 0
    /// The number of coded frames that are presented.
    package var shownCount = 0
    /// Packed MPEG-4: whether decoders lose one of the packet's planes or output it late (``MPEG4Packing``).
    package var breaksPacking = false
    /// MPEG-1 and MPEG-2: the picture that decoders never output because they give up within this one.
    package var loss = Loss.none
    /// The build number of x264's user data SEI, which decoders need because of its known bugs.
    package var x264Build: Int?
    /// Whether the packet names the encoder. Decoders remember the name, so the packet is never omitted.
    package var namesEncoder = false
    /// The x264 bugs that decoders imitate here, according to the last build number: 0 for none. Equal numbers mean
    /// equal pictures.
    package var imitation = 0
    /// H.264: whether earlier pictures may be held as long-term references (8.2.5). A decoder that begins here does not
    /// have them, so its reference lists differ.
    package var inheritsLongTerm = false
    /// The packet's film grain message.
    package var filmGrain = FilmGrain.untold
    /// Whether earlier packets set persistent decoder state that a decoder that begins here lacks, such as workarounds
    /// for an encoder's bugs or a method of reading coefficients.
    package var inheritsState = false
    /// MPEG-4 Part 2: whether decoders that begin at different planes scale field motion vectors differently here.
    package var variesFieldDistance = false
    /// MPEG-1 and MPEG-2: whether the packet is only the end of a sequence. Decoders output the delayed picture and
    /// drop it as a reference.
    package var endsSequence = false
    /// Whether parameter sets (or a sequence header) come with the packet.
    package var carriesParameterSets = false
    /// Whether the picture comes with each kind of set that its slices need (H.264, HEVC: a sequence set and a picture
    /// set), so that a decoder that begins here has them. For other formats, whether it comes with any set.
    package var carriesItsParameterSets: Bool { carriesParameterSets && !lacksParameterSets }
    /// Whether one kind of set is missing although another is present.
    var lacksParameterSets = false
    /// Whether the meaning of the picture's samples (H.264 E.2.1, video_full_range_flag) comes from an earlier sequence
    /// because its own does not specify it.
    package var inheritsSignalType = false
    /// The reaction of MPEG-1 and MPEG-2 decoders to a different sequence header here, and of HEVC decoders to the
    /// start of a sequence.
    package var decoderChange = DecoderChange.none
    /// The number of times that parameter sets were added or changed since the extradata. If a restart's number differs
    /// from the one that the decoder last saw, that packet's parameter sets must be replayed.
    package var parameterSetGeneration = 0
    /// False if a header could not be read. In that case, nothing here may be used to decide which packets to omit.
    package var isUnderstood = true

    package init() {}

    /// The result for a packet that provides no information.
    static var notUnderstood: CodedPicture {
        var picture = CodedPicture()
        picture.isUnderstood = false
        return picture
    }
}
