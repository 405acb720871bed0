/// Tracks the eight reference slots of an AV1 stream (AV1 7.20, 7.21) and the frames in them.
struct AV1DependencyParser: Sendable {
    /// The frame in a slot.
    private struct Reference {
        let unit: Int
        let kind: AV1FrameHeader.Kind
        let orderHint: Int
    }

    /// The state while a packet is being read.
    private struct Packet {
        var dependencies = PacketDependencies()
        /// Whether a sequence header that differs from the previous one came before the first frame.
        var changesSequence = false
        /// Whether the first frame refreshes every slot at once, so that neither it nor any later frame depends on
        /// earlier ones.
        var startsWithKey = false
        /// Whether the last frame was only a header, so that tile groups must follow.
        var isOpen = false
        var hasTiles = false

        /// Records a new sequence header, which is understood only if everything else starts again too. Frames without
        /// references (intra only) need the header without referring to a frame, so the key frame that comes with it
        /// must always be decoded.
        mutating func noteSequenceChange() {
            if startsWithKey {
                dependencies.units[0].isSticky = true
            } else {
                dependencies.isProven = false
            }
        }
    }

    private static let unknownSlots = [Reference?](repeating: nil, count: 8)

    private var sequence: AV1SequenceHeader?
    /// The last sequence header in full, because decoders start again if any of its bits change.
    private var sequenceBytes: [UInt8] = []
    private var slots = AV1DependencyParser.unknownSlots
    private var unitCount = 0

    init(extradata: Span<UInt8>) {
        var ignored = Packet()
        var units = AV1Units(configuration: extradata)
        while let unit = units.next() {
            guard unit.kind == .sequenceHeader else { continue }
            try? readSequence(extradata.extracting(unit.payload), in: &ignored)
        }
    }

    /// Reads one whole temporal unit.
    mutating func parse(_ bytes: Span<UInt8>) -> PacketDependencies {
        var packet = Packet()
        var units = AV1Units(bytes)
        while let unit = units.next() {
            guard let kind = unit.kind else { continue }
            do {
                try read(unit, kind: kind, in: bytes, into: &packet)
            } catch {
                packet.dependencies.isProven = false
                // The slots that a lost frame refreshed are unknown from now on.
                slots = AV1DependencyParser.unknownSlots
            }
        }
        close(&packet)
        if units.isOverrun || packet.dependencies.units.isEmpty { packet.dependencies.isProven = false }
        if packet.changesSequence { packet.noteSequenceChange() }
        return packet.dependencies
    }

    /// Whether a command to show a frame again needs only the slot, without frame ids or presentation times (5.9.2).
    var canRepeat: Bool {
        guard let sequence else { return false }
        return !sequence.isReducedStill && sequence.frameIDBits == 0 && sequence.decoderModel == nil
    }

    private mutating func read(
        _ unit: AV1Unit, kind: AV1Unit.Kind, in bytes: Span<UInt8>, into packet: inout Packet
    ) throws(HeaderError) {
        switch kind {
        case .temporalDelimiter: close(&packet)
        case .sequenceHeader:
            close(&packet)
            try readSequence(bytes.extracting(unit.payload), in: &packet)
        case .frame, .frameHeader:
            close(&packet)
            try readFrame(unit, in: bytes, into: &packet)
        case .tileGroup, .redundantFrameHeader:
            // Without an open frame, it is unknown to which frame they belong (SeenFrameHeader, 5.9.1).
            guard packet.isOpen, let last = packet.dependencies.units.indices.last else { throw .invalid }
            if kind == .tileGroup { packet.hasTiles = true }
            let start = packet.dependencies.units[last].bytes.lowerBound
            packet.dependencies.units[last].bytes = start..<unit.bytes.upperBound
        case .tileList: throw .invalid
        }
    }

    /// Ends the frame that is waiting for tile groups.
    private func close(_ packet: inout Packet) {
        if packet.isOpen && !packet.hasTiles { packet.dependencies.isProven = false }
        packet.isOpen = false
        packet.hasTiles = false
    }

    private mutating func readSequence(_ payload: Span<UInt8>, in packet: inout Packet) throws(HeaderError) {
        var copy: [UInt8] = []
        copy.reserveCapacity(payload.count)
        for index in payload.indices { copy.append(payload[index]) }
        guard copy != sequenceBytes || sequence == nil else { return }
        var reader = BitReader(payload)
        sequence = nil
        slots = AV1DependencyParser.unknownSlots
        sequence = try AV1SequenceHeader(&reader)
        sequenceBytes = copy
        guard packet.dependencies.units.isEmpty else { throw .invalid }
        packet.changesSequence = true
    }

    private mutating func readFrame(
        _ unit: AV1Unit, in bytes: Span<UInt8>, into packet: inout Packet
    ) throws(HeaderError) {
        guard packet.dependencies.units.count < AV1PictureParser.mostFrames else { throw .invalid }
        guard let sequence else {
            append(.unknown(unit.bytes), to: &packet)
            throw .missingParameterSet
        }
        guard sequence.decodes(unit) else {
            packet.dependencies.isProven = false
            return
        }
        // Of several spatial layers, a decoder outputs only one, so dependencies are not all that matters.
        if sequence.hasSpatialLayers || unit.layer.spatial > 0 { packet.dependencies.isProven = false }
        var reader = BitReader(bytes.extracting(unit.payload))
        let header: AV1FrameHeader
        let references: AV1FrameReferences
        do {
            header = try AV1FrameHeader(&reader, sequence: sequence, layer: unit.layer)
            references = try AV1FrameReferences(&reader, header: header, sequence: sequence)
        } catch {
            append(.unknown(unit.bytes), to: &packet)
            throw error
        }
        if packet.dependencies.units.isEmpty {
            packet.startsWithKey = header.shownSlot == nil && header.kind == .key && header.isShown
        }
        packet.isOpen = unit.kind == .frameHeader && header.shownSlot == nil
        noteLostSlots(references)
        append(describe(header, references, unit: unit, in: &packet), to: &packet)
    }

    private mutating func append(_ unit: CodedUnit, to packet: inout Packet) {
        packet.dependencies.units.append(unit)
        unitCount += 1
    }

    /// Records lost slots. If a repeated order hint differs, the slot's frame was lost (5.9.2: RefValid becomes 0).
    private mutating func noteLostSlots(_ references: AV1FrameReferences) {
        for (slot, hint) in references.orderHints.enumerated() where slots[slot]?.orderHint != hint {
            slots[slot] = nil
        }
    }

    /// Determines the frame's references, then stores the frame in its slots (7.20, 7.21).
    private mutating func describe(
        _ header: AV1FrameHeader, _ references: AV1FrameReferences, unit: AV1Unit, in packet: inout Packet
    ) -> CodedUnit {
        var coded = CodedUnit(bytes: unit.bytes)
        coded.isShown = header.isShown || header.shownSlot != nil
        let known = references.slots.compactMap { slots[$0] }
        if known.count < references.slots.count {
            packet.dependencies.isProven = false
            coded.needsAllReferences = true
        } else {
            coded.references = Set(known.map(\.unit)).sorted()
        }
        var taken = header.refreshedSlots
        var frame = Reference(unit: unitCount, kind: header.kind, orderHint: header.orderHint)
        if let slot = header.shownSlot {
            // A key frame that is shown later refreshes every slot when it is shown; any other frame changes nothing.
            guard let shown = slots[slot] else {
                // An unknown frame could be a key frame.
                slots = AV1DependencyParser.unknownSlots
                return .unknown(unit.bytes)
            }
            if shown.kind == .key {
                taken = AV1FrameHeader.allSlots
                frame = Reference(unit: unitCount, kind: .key, orderHint: shown.orderHint)
            }
        }
        for slot in 0..<8 where taken >> slot & 1 == 1 { slots[slot] = frame }
        coded.isReference = taken != 0 || coded.needsAllReferences
        coded.slots = UInt8(truncatingIfNeeded: taken)
        coded.isKey = frame.kind == .key
        return coded
    }
}
