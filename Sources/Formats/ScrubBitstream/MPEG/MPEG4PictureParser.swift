/// Reads MPEG-4 Part 2 video object planes in decoding order (ISO/IEC 14496-2 6.2).
struct MPEG4PictureParser: Sendable {
    private var layers = ParameterSets<MPEG4Layer>()
    private var generation = 0
    /// Whether user data declares that a P plane and the B plane before it share a packet, with a "not coded" plane in
    /// the other one (DivX packed bitstream).
    private(set) var isPacked = false
    /// The encoders that the configuration names: every decoder knows them.
    private var declaredNames = MPEG4EncoderNames()
    /// The encoders named so far, and those named before the first picture.
    private var names = MPEG4EncoderNames()
    private var firstNames: MPEG4EncoderNames?
    private var hasChangedNames = false
    private var packing = MPEG4Packing()
    private var memory = MPEG4DecoderMemory()

    init(extradata: Span<UInt8>) {
        _ = parse(extradata)
        generation = 0
        packing = MPEG4Packing()
        memory.declare()
        (declaredNames, firstNames, hasChangedNames) = (names, nil, false)
    }

    /// Whether planes may be coded as fields; `nil` before the first layer.
    var isInterlaced: Bool? { layers[0]?.isInterlaced }

    /// Forgets what a decoder keeps for the next packet; planes contain everything else themselves.
    mutating func reset() { packing = MPEG4Packing() }

    /// Reads one packet, which may contain several planes.
    mutating func parse(_ packet: Span<UInt8>) -> CodedPicture {
        var picture = CodedPicture()
        var planes: [MPEG4Plane] = []
        let namesBefore = names
        var ownNames = declaredNames
        var firstCode: UInt8?
        var byteCounts: [Int] = []
        var isMeasure = false
        memory.begin()
        var units = StartCodeUnits(packet)
        while let range = units.next() {
            let payload = packet.extracting(range.lowerBound + 1..<range.upperBound)
            var reader = BitReader(payload)
            firstCode = firstCode ?? packet[range.lowerBound]
            do {
                switch packet[range.lowerBound] {
                case MPEG4StartCode.firstLayer...MPEG4StartCode.lastLayer:
                    picture.carriesParameterSets = true
                    if layers.contains(payload), let layer = layers[0] {
                        memory.take(layer)
                        continue
                    }
                    let layer = try MPEG4Layer(&reader)
                    memory.take(layer)
                    layers.store(layer, id: 0, bytes: payload)
                    generation += 1
                case MPEG4StartCode.group where planes.isEmpty:
                    let (hours, minutes) = (try reader.bits(5), try reader.bits(6))
                    try reader.skip(1)
                    memory.beginGroup(atSecond: (hours * 60 + minutes) * 60 + (try reader.bits(6)))
                    picture.isClosedGroup = try reader.flag()
                    picture.isBrokenLink = try reader.flag()
                case MPEG4StartCode.userData:
                    if MPEG4PictureParser.saysPacked(payload) { isPacked = true }
                    // Decoders ignore user data after a picture unless another picture follows.
                    guard planes.isEmpty || isPacked else { continue }
                    picture.namesEncoder = true
                    names.take(payload)
                    ownNames.take(payload)
                case MPEG4StartCode.plane:
                    guard let layer = layers[0] else { throw HeaderError.missingParameterSet }
                    let plane = try MPEG4Plane(&reader, layer: layer)
                    switch memory.take(plane, of: layer) {
                    case .none: break
                    case .measure: isMeasure = true
                    case .change: (isMeasure, picture.variesFieldDistance) = (true, true)
                    }
                    planes.append(plane)
                    byteCounts.append(packet.count - range.lowerBound + 3)
                default:
                    break
                }
            } catch {
                picture.isUnderstood = false
            }
        }
        if firstNames != nil, names != namesBefore {
            // Another name stays active, like a layer.
            picture.carriesParameterSets = true
            generation += 1
        }
        picture.parameterSetGeneration = generation
        describe(planes, in: &picture)
        if isMeasure { picture.isReference = true }
        if firstCode == MPEG4StartCode.sequence { packing.beginSequence() }
        // The plane that is decoded now is an earlier one.
        if packing.isHolding { picture.randomAccess = .none }
        picture.breaksPacking = packing.breaks(at: planes, byteCounts: byteCounts, isPacked: isPacked)
        noteNames(ownNames, of: planes, in: &picture)
        return picture
    }

    /// Records whether the stream named encoders before this restart that are unknown to a decoder that begins here.
    private mutating func noteNames(
        _ ownNames: MPEG4EncoderNames, of planes: [MPEG4Plane], in picture: inout CodedPicture
    ) {
        if let firstNames {
            // A fault that was imitated in between is imitated from then on, whatever is named later.
            if names != firstNames { hasChangedNames = true }
            picture.inheritsState = hasChangedNames || picture.randomAccess != .none && ownNames != names
        } else if !planes.isEmpty {
            firstNames = names
        }
        if memory.inheritsComplexity, picture.randomAccess != .none { picture.inheritsState = true }
    }

    private func describe(_ planes: [MPEG4Plane], in picture: inout CodedPicture) {
        guard let first = planes.first else {
            picture.isUnderstood = false
            return
        }
        let coded = planes.filter(\.isCoded)
        picture.pictureCount = coded.count
        picture.shownCount = coded.count
        picture.isNotCoded = coded.isEmpty
        picture.isShown = !coded.isEmpty
        picture.pictureType = first.type
        picture.isIntra = !coded.isEmpty && coded.allSatisfy { $0.type == .i }
        picture.isReference =
            !picture.isUnderstood || picture.carriesParameterSets || coded.isEmpty
            || coded.contains { $0.type != .b }
        // The standard promises a restart at an I plane only for the planes presented from it on (6.3.5). A closed
        // group is not taken as a promise because encoders in the wild set the bit at random.
        if first.isCoded, first.type == .i { picture.randomAccess = .open }
    }

    /// Whether a text is "DivX", digits, "Build" or "b", digits and a final "p".
    private static func saysPacked(_ text: Span<UInt8>) -> Bool {
        let prefix = Array("DivX".utf8)
        guard text.count > prefix.count else { return false }
        for index in prefix.indices where text[index] != prefix[index] { return false }
        return text[text.count - 1] == UInt8(ascii: "p")
    }
}

/// The start code values read here (ISO/IEC 14496-2 Table 6-3).
enum MPEG4StartCode {
    static let firstLayer: UInt8 = 0x20
    static let lastLayer: UInt8 = 0x2F
    static let sequence: UInt8 = 0xB0
    static let userData: UInt8 = 0xB2
    static let group: UInt8 = 0xB3
    static let plane: UInt8 = 0xB6
}
