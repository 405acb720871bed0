/// The one-byte NAL unit header (H.264 7.3.1).
struct H264UnitHeader: Sendable {
    /// `nal_unit_type` (Table 7-1).
    let type: Int
    /// `nal_ref_idc` is not 0.
    let isReference: Bool

    var isIDR: Bool { type == 5 }
    /// A slice, an IDR slice, or the part of a partitioned slice that has the header. Types 14 and 20 belong to
    /// scalable and multiview layers, which base decoders ignore.
    var isSlice: Bool { type == 1 || type == 2 || type == 5 }

    /// Returns `nil` if `forbidden_zero_bit` is 1, because libavcodec skips the unit (h2645_parse.c).
    init?(_ byte: UInt8) {
        guard byte & 0x80 == 0 else { return nil }
        type = Int(byte & 31)
        isReference = byte & 0x60 != 0
    }
}

/// Reads H.264 access units in decoding order.
struct H264PictureParser: Sendable {
    /// A field whose frame still lacks the other field.
    private struct OpenField {
        let structure: CodedPicture.Structure
        let frameNumber: Int
        let isIDR: Bool
    }

    private var framing: NALFraming
    private var sequences = ParameterSets<H264SequenceSet>()
    private var pictures = ParameterSets<H264PictureSet>()
    private(set) var generation = 0
    /// Whether any active sequence has specified the meaning of samples. libavcodec uses it until another sequence
    /// specifies one.
    private var hasSeenSignalType = false
    /// The x264 build named last, and the one that applied to the first picture, which is passed to decoders.
    private var build: Int?
    private var firstBuild: Int?
    private var hasSeenPicture = false
    private var counter = H264OrderCounter()
    private var openField: OpenField?
    /// PrevRefFrameNum (7.4.3); `nil` before the first picture.
    private var lastReferenceNumber: Int?
    /// The sequence set of the last picture.
    private(set) var activeSequence: H264SequenceSet?
    /// Whether pictures may be marked as long-term references.
    private var mayHoldLongTerm = false
    /// The parameter sets in stream order; `nil` unless they are recorded.
    var history: ParameterSetHistory?

    /// - Parameter recordsSets: whether to record ``history``.
    init(extradata: Span<UInt8>, recordsSets: Bool = false) {
        if recordsSets { history = ParameterSetHistory(codec: .h264) }
        framing = .annexB
        take(configuration: extradata)
        generation = 0
        activeSequence = sequences.first
    }

    /// Adds a configuration's sets to the active ones.
    mutating func take(configuration: Span<UInt8>) {
        framing = NALFraming(codec: .h264, extradata: configuration)
        var unit = H264AccessUnit()
        if case .lengthPrefixed = framing {
            for range in ConfigurationRecord.avcUnits(configuration) {
                read(configuration.extracting(range), into: &unit)
            }
        } else {
            var units = NALUnits(configuration, framing: .annexB)
            while let range = units.next() { read(configuration.extracting(range), into: &unit) }
        }
        if unit.changesParameterSets { generation += 1 }
    }

    /// Forgets the pictures but not the parameter sets.
    mutating func reset() {
        counter = H264OrderCounter()
        openField = nil
        lastReferenceNumber = nil
        mayHoldLongTerm = false
    }

    /// Reads one packet; `isWhole` is false if only its first bytes are given.
    mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> CodedPicture {
        var unit = H264AccessUnit()
        history?.beginPacket()
        var units = NALUnits(packet, framing: framing)
        while let range = units.next() {
            // A truncated unit still has its header, which is all that a slice needs; an SEI message must be complete.
            if units.isOverrun, !isWhole, H264UnitHeader(packet[range.lowerBound])?.isSlice != true { break }
            read(packet.extracting(range), into: &unit)
        }
        if units.isOverrun && isWhole { unit.isUnderstood = false }
        noteBuild(&unit)
        if unit.changesParameterSets { generation += 1 }
        var picture = unit.picture
        picture.parameterSetGeneration = generation
        return picture
    }

    /// Records which x264 build produced the packet. A number that changes the behavior of decoders stays active, like
    /// a parameter set.
    private mutating func noteBuild(_ unit: inout H264AccessUnit) {
        let before = imitation(of: build)
        if let named = unit.info.x264Build { build = named }
        unit.imitation = imitation(of: build)
        guard hasSeenPicture else {
            (firstBuild, hasSeenPicture) = (build, unit.hasSlice)
            return
        }
        if unit.imitation != before { (unit.carriesParameterSets, unit.changesParameterSets) = (true, true) }
        unit.inheritsEncoder = imitation(of: unit.info.x264Build ?? firstBuild) != unit.imitation
    }

    /// Returns the bugs that libavcodec imitates for a build: in direct prediction up to 33 (h264_direct.c), and in
    /// lossless coding before 151 (h264_mb_template.c). For other builds, and if none is named, it does not imitate
    /// any.
    private func imitation(of build: Int?) -> Int {
        guard let build else { return 0 }
        if build <= 33 { return 2 }
        return build < 151 && activeSequence?.isHigh444 ?? true ? 1 : 0
    }

    private mutating func read(_ bytes: Span<UInt8>, into unit: inout H264AccessUnit) {
        guard let header = H264UnitHeader(bytes[0]) else {
            unit.isUnderstood = false
            return
        }
        let payload = bytes.extracting(1..<bytes.count)
        var reader = BitReader(payload, isEscaped: true)
        do {
            switch header.type {
            case 1, 2, 5:
                try readSlice(&reader, header: header, into: &unit)
            case 6:
                // Messages after the first slice no longer belong to a restart, but the encoder's name counts wherever
                // it is.
                var info = unit.pictureCount == 0 ? unit.info : H264SupplementalInfo()
                info.read(&reader)
                unit.info = unit.pictureCount == 0 ? info : unit.info.named(by: info)
            case 7:
                (unit.carriesParameterSets, unit.carriesSequenceSet) = (true, true)
                if let id = sequences.id(of: payload) {
                    history?.send(.sequence(id), base: nil, payload)
                    return
                }
                let set = try H264SequenceSet(&reader)
                sequences.store(set, id: set.id, bytes: payload)
                history?.send(.sequence(set.id), base: nil, payload)
                unit.changesParameterSets = true
            case 8:
                (unit.carriesParameterSets, unit.carriesPictureSet) = (true, true)
                try readPictureSet(&reader, payload, into: &unit)
            default:
                break
            }
        } catch {
            unit.isUnderstood = false
            if header.type == 7 || header.type == 8 { history?.sendUnread() }
            if header.isSlice { history?.use(nil) }
            if header.isSlice { unit.noteUnreadSlice(header, kind: H264PictureParser.kind(payload)) }
        }
    }

    private mutating func readPictureSet(
        _ reader: inout BitReader, _ payload: Span<UInt8>, into unit: inout H264AccessUnit
    ) throws(HeaderError) {
        if let id = pictures.id(of: payload), let known = pictures[id],
            known.sequence == nil || known.sequenceVersion == sequences.version(known.sequenceID)
        {
            history?.send(.picture(id), base: .sequence(known.sequenceID), payload)
            return
        }
        var set = try H264PictureSet(&reader)
        set.sequence = sequences[set.sequenceID]
        set.sequenceVersion = sequences.version(set.sequenceID)
        pictures.store(set, id: set.id, bytes: payload)
        history?.send(.picture(set.id), base: .sequence(set.sequenceID), payload)
        unit.changesParameterSets = true
    }

    private static func kind(_ payload: Span<UInt8>) -> H264SliceHeader.Kind? {
        var reader = BitReader(payload, isEscaped: true)
        return try? H264SliceHeader.kind(&reader)
    }

    private mutating func readSlice(
        _ reader: inout BitReader, header: H264UnitHeader, into unit: inout H264AccessUnit
    ) throws(HeaderError) {
        let slice = try H264SliceHeader(&reader, unit: header, sequences: sequences, pictures: pictures)
        history?.use(slice.pictureSetID)
        guard slice.redundantCount == 0 else { return }
        if let last = unit.lastSlice, !slice.startsNewPicture(after: last) {
            unit.addSlice(slice)
            return
        }
        guard let set = pictures[slice.pictureSetID], let sequence = set.sequence ?? sequences[set.sequenceID] else {
            throw .missingParameterSet
        }
        if mayHoldLongTerm, !slice.isIDR { unit.inheritsLongTerm = true }
        mayHoldLongTerm = slice.marking.leavesLongTerm(mayHoldLongTerm, isIDR: slice.isIDR)
        activeSequence = sequence
        if sequence.hasSignalType {
            hasSeenSignalType = true
        } else if hasSeenSignalType {
            unit.inheritsSignalType = true
        }
        let counts = counter.next(slice, sequence: sequence)
        let isSecondField = pairsWithOpenField(slice)
        unit.addPicture(
            slice, orderCount: counts.value(of: slice.structure), isSecondField: isSecondField,
            continuesFrameNumbers: continues(slice, isSecondField: isSecondField, sequence))
    }

    /// Whether `frame_num` has the value that it would have in a complete stream. Keeps track of the last reference
    /// picture's.
    private mutating func continues(
        _ slice: H264SliceHeader, isSecondField: Bool, _ sequence: H264SequenceSet
    ) -> Bool {
        let last = lastReferenceNumber
        if slice.isReference { lastReferenceNumber = slice.marking.isReset ? 0 : slice.frameNumber }
        if slice.isIDR { return slice.frameNumber == 0 }
        guard let last, !isSecondField else { return true }
        return slice.frameNumber == (last + 1) & ((1 << sequence.frameNumberBits) - 1)
    }

    /// Whether the picture is the second field of a frame (H.264 3.30, 3.31): of the other parity, right after the
    /// first, with the same `frame_num`. Keeps track of which field is open.
    private mutating func pairsWithOpenField(_ slice: H264SliceHeader) -> Bool {
        let open = openField
        openField = nil
        guard slice.structure != .frame else { return false }
        if let open, open.structure != slice.structure, open.frameNumber == slice.frameNumber,
            open.isIDR || !slice.isIDR, !slice.marking.isReset
        {
            return true
        }
        // Operation 5 makes the picture count as frame_num 0 for the next ones (7.4.3).
        openField = OpenField(
            structure: slice.structure, frameNumber: slice.marking.isReset ? 0 : slice.frameNumber,
            isIDR: slice.isIDR)
        return false
    }
}
