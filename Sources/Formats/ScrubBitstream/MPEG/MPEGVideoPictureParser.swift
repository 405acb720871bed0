/// Reads MPEG-1 and MPEG-2 video pictures in decoding order (ISO/IEC 11172-2, ISO/IEC 13818-2 = H.262).
struct MPEGVideoPictureParser: Sendable {
    private var sequences = ParameterSets<Bool>()
    private var generation = 0
    /// Whether a quantiser matrix extension has changed the matrices since the last sequence header (H.262 6.3.11). A
    /// restart without a sequence header would decode with whatever matrices are active.
    private var hasForeignMatrices = false
    /// The sequence to which the next picture belongs, and the one for which decoders were initialized.
    private var sequence = MPEGSequence()
    private var setUp: MPEGSequence?
    /// Whether the last group's header says that it is closed.
    private var isGroupClosed = false
    /// The field whose frame still lacks the other field.
    private var openField: CodedPicture.Structure?
    private var memory = MPEGDecoderMemory()

    init(extradata: Span<UInt8>) {
        var units = StartCodeUnits(extradata)
        while let range = units.next() {
            var reader = BitReader(extradata.extracting(range.lowerBound + 1..<range.upperBound))
            if extradata[range.lowerBound] == MPEGStartCode.extension { try? readSequenceExtension(&reader) }
            if extradata[range.lowerBound] == MPEGStartCode.userData {
                memory.note(extradata: extradata.extracting(range.lowerBound + 1..<extradata.count))
            }
            guard extradata[range.lowerBound] == MPEGStartCode.sequence else { continue }
            try? sequence.take(&reader)
            sequences.store(true, id: 0, bytes: extradata.extracting(range))
        }
    }

    /// Forgets the pictures but not the sequence header.
    mutating func reset() { openField = nil }

    /// Reads one packet: a frame, a field or both fields of a frame, with the preceding headers.
    mutating func parse(_ packet: Span<UInt8>) -> CodedPicture {
        var picture = CodedPicture()
        var pictures: [MPEGPictureHeader] = []
        var carriesMatrices = false
        var namesTMPGEnc = false
        var firstCode: UInt8?
        var slices = MPEGSliceWalk()
        var units = StartCodeUnits(packet)
        while let range = units.next() {
            var reader = BitReader(packet.extracting(range.lowerBound + 1..<range.upperBound))
            firstCode = firstCode ?? packet[range.lowerBound]
            do {
                switch packet[range.lowerBound] {
                case MPEGStartCode.picture:
                    pictures.append(try MPEGPictureHeader(&reader))
                case MPEGStartCode.sequence:
                    noteSequence(packet.extracting(range), in: &picture)
                    if pictures.isEmpty { try sequence.take(&reader) }
                case MPEGStartCode.group where pictures.isEmpty:
                    try reader.skip(25)  // time_code
                    picture.isClosedGroup = try reader.flag()
                    picture.isBrokenLink = try reader.flag()
                    isGroupClosed = picture.isClosedGroup
                case MPEGStartCode.extension:
                    if try readExtension(&reader, of: &pictures) { carriesMatrices = true }
                case MPEGStartCode.userData:
                    let rest = packet.extracting(range.lowerBound + 1..<packet.count)
                    if MPEGDecoderMemory.namesTMPGEnc(rest) { namesTMPGEnc = true }
                case MPEGStartCode.slices:
                    if let structure = pictures.last?.structure {
                        slices.take(packet, at: range.lowerBound, structure, of: sequence)
                    }
                default:
                    break
                }
            } catch {
                picture.isUnderstood = false
            }
        }
        describe(pictures, in: &picture)
        let varied = memory.varies
        picture.inheritsState = memory.take(
            pictures, setsMatrices: carriesMatrices, hasSequence: picture.carriesParameterSets,
            namesTMPGEnc: namesTMPGEnc, isExtended: sequence.isExtended)
        if memory.varies != varied { generation += 1 }
        picture.parameterSetGeneration = generation
        if !pictures.isEmpty { picture.decoderChange = decoderChange() }
        if slices.hasFailed {
            // A picture begins with its first slice. Until then, the waiting picture continues to wait.
            let hasBegun = slices.hasBegun || picture.isSecondField
            picture.loss = picture.pictureType == .b || sequence.isLowDelay || !hasBegun ? .own : .waiting
        }
        picture.endsSequence = packet.count == 4 && firstCode == MPEGStartCode.end
        // Matrices and sequence headers stay active after the B picture with which they come.
        if carriesMatrices || namesTMPGEnc || picture.carriesParameterSets { picture.isReference = true }
        return picture
    }

    /// Returns a decoder's reaction to the sequence at the start of a picture.
    private mutating func decoderChange() -> CodedPicture.DecoderChange {
        // Pictures before the first header do not belong to any sequence.
        guard sequence.width > 0 else { return .none }
        guard let before = setUp else {
            setUp = sequence
            return .none
        }
        guard sequence != before else { return .none }
        if sequence.resetsDecoder(after: before) {
            setUp = sequence
            return .anew(losesWaiting: !before.isLowDelay, losesLeading: !isGroupClosed)
        }
        if sequence.chromaFormat != before.chromaFormat { return .ignored }
        guard sequence.isLowDelay != before.isLowDelay else { return .none }
        setUp = sequence
        return .delay
    }

    private mutating func noteSequence(_ bytes: Span<UInt8>, in picture: inout CodedPicture) {
        picture.carriesParameterSets = true
        hasForeignMatrices = false
        guard !sequences.contains(bytes) else { return }
        sequences.store(true, id: 0, bytes: bytes)
        generation += 1
    }

    /// Returns whether the extension has quantiser matrices.
    private mutating func readExtension(
        _ reader: inout BitReader, of pictures: inout [MPEGPictureHeader]
    ) throws(HeaderError) -> Bool {
        switch try reader.bits(4) {
        case 1 where pictures.isEmpty: try sequence.takeExtension(&reader)
        case 2 where pictures.isEmpty: try sequence.takeDisplay(&reader)
        case 3:  // Quant Matrix Extension ID (Table 6-2)
            hasForeignMatrices = true
            return true
        case 8:
            guard !pictures.isEmpty else { throw .invalid }
            try pictures[pictures.count - 1].readCodingExtension(&reader)
        default: break
        }
        return false
    }

    private mutating func readSequenceExtension(_ reader: inout BitReader) throws(HeaderError) {
        switch try reader.bits(4) {
        case 1: try sequence.takeExtension(&reader)
        case 2: try sequence.takeDisplay(&reader)
        default: break
        }
    }

    private mutating func describe(_ pictures: [MPEGPictureHeader], in picture: inout CodedPicture) {
        guard let first = pictures.first else {
            picture.isUnderstood = false
            return
        }
        picture.pictureType = first.type
        picture.isIntra = pictures.allSatisfy { $0.type == .i }
        picture.isReference = !picture.isUnderstood || pictures.contains { $0.type != .b }
        picture.structure = first.structure
        picture.temporalReference = first.temporalReference
        picture.isTopFieldFirst = first.isTopFieldFirst
        picture.repeatsFirstField = first.repeatsFirstField
        var frames = 0
        for (index, header) in pictures.enumerated() {
            let completes =
                header.structure != .frame && openField != nil && openField != header.structure
            if completes {
                if index == 0 { picture.isSecondField = true } else { picture.isFieldPair = true }
            }
            if !completes || index == 0 { frames += 1 }
            openField = completes || header.structure == .frame ? nil : header.structure
        }
        picture.pictureCount = frames
        picture.shownCount = frames
        guard first.type == .i, !picture.isSecondField else { return }
        if hasForeignMatrices && !picture.carriesParameterSets {
            picture.randomAccess = .inexact
        } else {
            picture.randomAccess = picture.isClosedGroup ? .instantaneous : .open
        }
    }
}

/// The start code values read here (H.262 Table 6-1, ISO/IEC 11172-2 2.4.2.1).
enum MPEGStartCode {
    static let picture: UInt8 = 0x00
    static let slices: ClosedRange<UInt8> = 0x01...0xAF
    static let userData: UInt8 = 0xB2
    static let sequence: UInt8 = 0xB3
    static let `extension`: UInt8 = 0xB5
    static let end: UInt8 = 0xB7
    static let group: UInt8 = 0xB8
}

/// picture_header() with picture_coding_extension() (H.262 6.2.3, 6.2.3.1).
struct MPEGPictureHeader {
    let temporalReference: Int
    let type: CodedPicture.PictureType
    private(set) var structure = CodedPicture.Structure.frame
    private(set) var isTopFieldFirst = false
    private(set) var repeatsFirstField = false
    /// The extension's fields that determine how coefficients are read; `nil` without an extension.
    private(set) var coding: Int?

    init(_ reader: inout BitReader) throws(HeaderError) {
        temporalReference = try reader.bits(10)
        switch try reader.bits(3) {
        case 1: type = .i
        case 2: type = .p
        case 3: type = .b
        // Rejects D pictures (4) too, because libavcodec does not decode them.
        default: throw .invalid
        }
    }

    /// Reads the extension from the first bit after its identifier.
    mutating func readCodingExtension(_ reader: inout BitReader) throws(HeaderError) {
        try reader.skip(16)  // f_code
        coding = try reader.bits(2)  // intra_dc_precision
        switch try reader.bits(2) {
        case 1: structure = .topField
        case 2: structure = .bottomField
        case 3: structure = .frame
        default: throw .invalid
        }
        isTopFieldFirst = try reader.flag()
        // frame_pred_frame_dct to alternate_scan
        coding = (coding ?? 0) << 5 | (try reader.bits(5))
        repeatsFirstField = try reader.flag()
    }
}
