/// Reads HEVC access units in decoding order.
struct HEVCPictureParser: Sendable {
    let framing: NALFraming
    private var sequences = ParameterSets<HEVCSequenceSet>()
    private var pictures = ParameterSets<HEVCPictureSet>()
    private var generation = 0
    /// The order count of prevTid0Pic (H.265 8.3.1).
    private var anchorOrder = 0
    /// Whether the next IRAP picture is one where decoding starts: at the stream's start and after an end of
    /// sequence (8.1.3).
    private var isAtStart = true
    /// NoRaslOutputFlag of the last IRAP picture: its RASL pictures are not decodable and not output.
    private var dropsSkippedLeading = true
    /// The sequence set of the last picture.
    private(set) var activeSequence: HEVCSequenceSet?

    init(extradata: Span<UInt8>) {
        framing = NALFraming(codec: .hevc, extradata: extradata)
        var ignored = HEVCAccessUnit()
        if case .lengthPrefixed = framing {
            for range in ConfigurationRecord.hevcUnits(extradata) {
                read(extradata.extracting(range), into: &ignored)
            }
        } else {
            var units = NALUnits(extradata, framing: .annexB)
            while let range = units.next() { read(extradata.extracting(range), into: &ignored) }
        }
        reset()
        activeSequence = sequences.first
    }

    /// Forgets the pictures but not the parameter sets.
    mutating func reset() {
        anchorOrder = 0
        isAtStart = true
        dropsSkippedLeading = true
    }

    /// Reads one packet; `isWhole` is false when only its first bytes are given.
    mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> CodedPicture {
        var picture = accessUnit(packet, isWhole: isWhole).picture
        picture.parameterSetGeneration = generation
        return picture
    }

    /// Reads one packet and gives what its slice segments say by themselves.
    mutating func accessUnit(_ packet: Span<UInt8>, isWhole: Bool) -> HEVCAccessUnit {
        var unit = HEVCAccessUnit()
        var units = NALUnits(packet, framing: framing)
        while let range = units.next() {
            let bytes = packet.extracting(range)
            if units.isOverrun, !isWhole, let header = HEVCUnitHeader(bytes), !header.isSlice { break }
            read(bytes, into: &unit)
        }
        if units.isOverrun && isWhole { unit.isUnderstood = false }
        if unit.changesParameterSets { generation += 1 }
        return unit
    }

    private mutating func read(_ bytes: Span<UInt8>, into unit: inout HEVCAccessUnit) {
        guard let header = HEVCUnitHeader(bytes) else {
            unit.isUnderstood = false
            return
        }
        guard header.layer == 0 else {
            unit.hasOtherLayers = true
            return
        }
        let payload = bytes.extracting(2..<bytes.count)
        var reader = BitReader(payload, isEscaped: true)
        do {
            switch header.type {
            case 33:
                (unit.carriesParameterSets, unit.carriesSequenceSet) = (true, true)
                guard !sequences.contains(payload) else { return }
                let set = try HEVCSequenceSet(&reader)
                sequences.store(set, id: set.id, bytes: payload)
                unit.changesParameterSets = true
            case 34:
                (unit.carriesParameterSets, unit.carriesPictureSet) = (true, true)
                guard !pictures.contains(payload) else { return }
                let set = try HEVCPictureSet(&reader)
                pictures.store(set, id: set.id, bytes: payload)
                unit.changesParameterSets = true
            case 36, 37:
                // End of sequence, end of bitstream: whether before or after this packet's picture, the next
                // IRAP picture starts anew.
                isAtStart = true
                unit.endsSequence = true
            default:
                guard header.isSlice else { return }
                try readSlice(&reader, header: header, into: &unit)
            }
        } catch {
            unit.isUnderstood = false
            if header.isSlice { unit.noteUnreadSlice(header) }
        }
    }

    private mutating func readSlice(
        _ reader: inout BitReader, header: HEVCUnitHeader, into unit: inout HEVCAccessUnit
    ) throws(HeaderError) {
        let slice = try HEVCSliceHeader(&reader, unit: header, sequences: sequences, pictures: pictures)
        guard slice.isFirstInPicture else {
            unit.addSlice(slice)
            return
        }
        guard let sequence = sequences[slice.sequenceID] else { throw .missingParameterSet }
        activeSequence = sequence
        let startsSequence = header.isRandomAccessPoint && (isAtStart || !header.isClean)
        if header.isRandomAccessPoint {
            dropsSkippedLeading = startsSequence
            isAtStart = false
        }
        let order = nextOrder(slice, header: header, sequence: sequence, startsSequence: startsSequence)
        unit.addPicture(
            slice, header: header, orderCount: order, startsSequence: startsSequence,
            isDropped: header.isSkippedLeading && dropsSkippedLeading,
            // A picture that its own sub-layer doesn't use can still be used by a higher one (7.4.2.2, Table
            // 7-1): only in the highest one is nothing left to use it.
            isReference: !(header.isSubLayerNonReference && header.temporalID == sequence.highestTemporalID))
    }

    /// PicOrderCntVal (8.3.1). Wraps: damaged low bits must not trap.
    private mutating func nextOrder(
        _ slice: HEVCSliceHeader, header: HEVCUnitHeader, sequence: HEVCSequenceSet, startsSequence: Bool
    ) -> Int {
        let modulus = 1 << sequence.orderBits
        let anchorLowBits = anchorOrder & (modulus - 1)
        var highPart = startsSequence ? 0 : anchorOrder &- anchorLowBits
        if !startsSequence {
            if slice.orderLowBits < anchorLowBits, anchorLowBits - slice.orderLowBits >= modulus / 2 {
                highPart &+= modulus
            } else if slice.orderLowBits > anchorLowBits, slice.orderLowBits - anchorLowBits > modulus / 2 {
                highPart &-= modulus
            }
        }
        let order = highPart &+ slice.orderLowBits
        if header.isOrderAnchor { anchorOrder = order }
        return order
    }
}
