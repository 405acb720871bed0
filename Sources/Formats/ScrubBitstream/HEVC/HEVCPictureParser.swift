/// Reads HEVC access units in decoding order.
struct HEVCPictureParser: Sendable {
    private(set) var framing: NALFraming
    private var videos = ParameterSets<Int>()
    private var sequences = ParameterSets<HEVCSequenceSet>()
    private var pictures = ParameterSets<HEVCPictureSet>()
    private(set) var generation = 0
    /// The order count of prevTid0Pic (H.265 8.3.1).
    private var anchorOrder = 0
    /// Whether the next IRAP picture starts decoding, as at the stream's start and after an end of sequence (8.1.3).
    private var isAtStart = true
    /// libavcodec's `max_ra`: RASL pictures with this order count or a lower one are skipped. `Int.max` until an IRAP
    /// picture begins a sequence; `Int.min` after an IDR picture, where the standard has no RASL pictures (7.4.2.2) but
    /// decoders show them.
    private var leadingLimit = Int.max
    /// The end of sequence that has not yet been followed by a picture.
    private var end = SequenceEnd.none
    /// Whether there were pictures since the start or the last ``reset()``.
    private var hasPictures = false
    /// Whether some of these pictures may have been waiting to be shown, which is impossible if sequence sets rule out
    /// reordering.
    private var mayWait = false
    /// The order counts of the pictures of this sequence that a decoder may still hold.
    private var heldOrders: [Int] = []
    /// The number of pictures for which libavcodec's HEVC decoder has slots (hevcdec.h).
    private static let mostHeld = 32
    /// The pictures of this sequence that are waiting to be output.
    private var outputs = HEVCOutputQueue()
    /// The sequence set of the last picture.
    private(set) var activeSequence: HEVCSequenceSet?
    /// The parameter sets in stream order; `nil` unless they are recorded.
    var history: ParameterSetHistory?

    /// Whether a decoder knows at the next picture that the sequence has ended.
    private enum SequenceEnd {
        case none
        /// The unit ends the previous packet or begins the picture's own.
        case told
        /// The unit is among those before the picture's first slice, or in a packet without a picture. libavcodec then
        /// treats the picture as a continuation. With several threads, it treats the next picture as a new start
        /// (`eos_at_start` in hevcdec.c).
        case untold
    }

    /// - Parameter recordsSets: whether to record ``history``.
    init(extradata: Span<UInt8>, recordsSets: Bool = false) {
        if recordsSets { history = ParameterSetHistory(codec: .hevc) }
        framing = .annexB
        take(configuration: extradata)
        generation = 0
        reset()
        activeSequence = sequences.first
    }

    /// Adds a configuration's sets to the active ones.
    mutating func take(configuration: Span<UInt8>) {
        framing = NALFraming(codec: .hevc, extradata: configuration)
        var unit = HEVCAccessUnit()
        if case .lengthPrefixed = framing {
            for range in ConfigurationRecord.hevcUnits(configuration) {
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
        anchorOrder = 0
        isAtStart = true
        leadingLimit = .max
        end = .none
        (hasPictures, mayWait) = (false, false)
        (heldOrders, outputs) = ([], HEVCOutputQueue())
    }

    /// Declares that there are earlier pictures, which may still be waiting to be shown.
    mutating func expectEarlier() {
        (hasPictures, isAtStart, mayWait) = (true, false, activeSequence?.reorderLimit != 0)
        // Leading pictures are decoded like the others.
        leadingLimit = .min
    }

    /// Reads one packet; `isWhole` is false if only its first bytes are given.
    mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> CodedPicture {
        var picture = accessUnit(packet, isWhole: isWhole).picture
        picture.parameterSetGeneration = generation
        return picture
    }

    /// Reads one packet and returns the facts that its slice segments provide by themselves.
    mutating func accessUnit(_ packet: Span<UInt8>, isWhole: Bool) -> HEVCAccessUnit {
        var unit = HEVCAccessUnit()
        history?.beginPacket()
        var units = NALUnits(packet, framing: framing)
        while let range = units.next() {
            let bytes = packet.extracting(range)
            if units.isOverrun, !isWhole, let header = HEVCUnitHeader(bytes), !header.isSlice { break }
            read(bytes, into: &unit)
        }
        if units.isOverrun && isWhole { unit.isUnderstood = false }
        if isWhole, !unit.hasSlices, end == .told { end = .untold }
        if unit.changesParameterSets { generation += 1 }
        return unit
    }

    private mutating func read(_ bytes: Span<UInt8>, into unit: inout HEVCAccessUnit) {
        guard let header = HEVCUnitHeader(bytes) else {
            unit.isUnderstood = false
            return
        }
        // Includes all layers, as libavcodec does.
        let isEnd = header.type == 36 || header.type == 37
        if !isEnd { unit.hasOtherUnits = true }
        guard header.layer == 0 else {
            unit.hasOtherLayers = true
            return
        }
        let payload = bytes.extracting(2..<bytes.count)
        var reader = BitReader(payload, isEscaped: true)
        do {
            switch header.type {
            case 32...34: try readSet(&reader, header.type, bytes, into: &unit)
            case 39: if let grain = FilmGrainMessage.find(in: &reader) { unit.filmGrain = grain }
            case 36, 37:
                // End of sequence, end of bitstream: whether before or after this packet's picture, the next IRAP
                // picture restarts decoding.
                isAtStart = true
                leadingLimit = .max
                unit.endsSequence = true
                if end != .untold { end = unit.hasOtherUnits && !unit.hasSlices ? .untold : .told }
            default:
                guard header.isSlice else { return }
                try readSlice(&reader, header: header, into: &unit)
            }
        } catch {
            unit.isUnderstood = false
            if (32...34).contains(header.type) { history?.sendUnread() }
            if header.isSlice {
                history?.use(nil)
                unit.noteUnreadSlice(header)
            }
        }
    }

    /// Reads a parameter set and activates it as libavcodec does: a set with different content removes the sets that
    /// refer to it (hevc_ps.c, `remove_sps`, `remove_vps`).
    ///
    /// - Parameter bytes: the whole unit. A set with a different temporal id in its header counts as different content.
    private mutating func readSet(
        _ reader: inout BitReader, _ type: Int, _ bytes: Span<UInt8>, into unit: inout HEVCAccessUnit
    ) throws(HeaderError) {
        switch type {
        case 32:
            let id = try reader.bits(4)
            history?.send(.video(id), base: nil, bytes)
            guard videos.id(of: bytes) == nil else { return }
            if videos[id] != nil { removeSequences { $0.videoSetID == id } }
            videos.store(id, id: id, bytes: bytes)
        case 33:
            (unit.carriesParameterSets, unit.carriesSequenceSet) = (true, true)
            if let id = sequences.id(of: bytes), let known = sequences[id] {
                history?.send(.sequence(id), base: .video(known.videoSetID), bytes)
                return
            }
            let set = try HEVCSequenceSet(&reader)
            history?.send(.sequence(set.id), base: .video(set.videoSetID), bytes)
            removeSequences { $0.id == set.id }
            sequences.store(set, id: set.id, bytes: bytes)
        default:
            (unit.carriesParameterSets, unit.carriesPictureSet) = (true, true)
            if let id = pictures.id(of: bytes), let known = pictures[id] {
                history?.send(.picture(id), base: .sequence(known.sequenceID), bytes)
                return
            }
            let set = try HEVCPictureSet(&reader)
            history?.send(.picture(set.id), base: .sequence(set.sequenceID), bytes)
            pictures.store(set, id: set.id, bytes: bytes)
        }
        unit.changesParameterSets = true
    }

    private mutating func removeSequences(where isGone: (HEVCSequenceSet) -> Bool) {
        for id in 0..<16 {
            guard let set = sequences[id], isGone(set) else { continue }
            pictures.remove { $0.sequenceID == id }
        }
        sequences.remove(where: isGone)
    }

    private mutating func readSlice(
        _ reader: inout BitReader, header: HEVCUnitHeader, into unit: inout HEVCAccessUnit
    ) throws(HeaderError) {
        let slice = try HEVCSliceHeader(&reader, unit: header, sequences: sequences, pictures: pictures)
        history?.use(slice.pictureSetID)
        guard slice.isFirstInPicture else {
            unit.addSlice(slice)
            return
        }
        guard let sequence = sequences[slice.sequenceID] else { throw .missingParameterSet }
        activeSequence = sequence
        let startsSequence = header.isRandomAccessPoint && (isAtStart || !header.isClean)
        // libavcodec also keeps the pictures that it holds at the first CRA picture if others came before it.
        let keepsHeld = !startsSequence || (header.isClean && hasPictures && end == .none)
        unit.note(change(slice, header: header, startsSequence: startsSequence, in: unit))
        if header.isRandomAccessPoint { isAtStart = false }
        (hasPictures, mayWait, end) = (true, mayWait || sequence.reorderLimit > 0, .none)
        let order = nextOrder(slice, header: header, sequence: sequence, startsSequence: startsSequence)
        let isDropped = isLeftOut(header, order: order, startsSequence: startsSequence)
        if !isDropped {
            unit.repeatsOrder = repeats(order, header: header, keepsHeld: keepsHeld)
            if !startsSequence { holdMissing(slice, order: order) }
            if startsSequence { outputs = HEVCOutputQueue() }
            if slice.isOutput, !unit.repeatsOrder, outputs.add(order, reorderLimit: sequence.reorderLimit) {
                unit.isLate = true
            }
        }
        unit.addPicture(
            slice, header: header, orderCount: order, startsSequence: startsSequence,
            isDropped: isDropped,
            // A picture that is not used by its own sub-layer can still be used by a higher one (7.4.2.2, Table 7-1).
            // It is dispensable only in the highest sub-layer.
            isReference: !(header.isSubLayerNonReference && header.temporalID == sequence.highestTemporalID))
    }

    /// Returns how a decoder treats the pictures that are waiting to be shown.
    private func change(
        _ slice: HEVCSliceHeader, header: HEVCUnitHeader, startsSequence: Bool, in unit: HEVCAccessUnit
    ) -> CodedPicture.DecoderChange {
        guard hasPictures else { return .none }
        // Only an IRAP picture may follow an end of sequence (7.4.2.4.4), and not in the same packet.
        let isMisplaced = unit.endsSequence && unit.hasSlices
        if end == .untold || isMisplaced || (end == .told && !header.isRandomAccessPoint) { return .unproven }
        guard startsSequence, mayWait else { return .none }
        // For a CRA picture after an end of sequence, the flag is inferred to be 1 (C.5.2.2). A CRA picture that is
        // merely the first IRAP picture of a recording that begins in the middle does not discard anything.
        return (header.isClean ? end == .told : slice.discardsPrior) ? .discards : .none
    }

    /// Whether decoders skip a picture because it needs pictures before the sequence (8.1.3), according to libavcodec's
    /// logic.
    private mutating func isLeftOut(_ header: HEVCUnitHeader, order: Int, startsSequence: Bool) -> Bool {
        if startsSequence { leadingLimit = header.isIDR ? .min : order }
        guard header.isSkippedLeading else { return false }
        if order <= leadingLimit { return true }
        // RASL_R.
        if header.type == 9 { leadingLimit = .min }
        return false
    }

    /// Whether a decoder may still hold a picture with this order count and therefore drop this one. A decoder that
    /// begins here does not drop it.
    ///
    /// All pictures before an IRAP picture also come before it in output order (7.4.2.2). If one does not, its count
    /// may be used again after the IRAP picture while a decoder still holds it.
    private mutating func repeats(_ order: Int, header: HEVCUnitHeader, keepsHeld: Bool) -> Bool {
        if !keepsHeld { heldOrders = [] }
        let isRepeated =
            header.isRandomAccessPoint
            ? heldOrders.contains { $0 >= order } : heldOrders.contains(order)
        heldOrders = heldOrders.suffix(Self.mostHeld - 1) + [order]
        return isRepeated
    }

    /// Adds the missing references of a picture to the held ones. Decoders generate them, and drop a later picture with
    /// the same count (hevc_refs.c, `generate_missing_ref`).
    private mutating func holdMissing(_ slice: HEVCSliceHeader, order: Int) {
        for entry in slice.shortTerm.before + slice.shortTerm.after {
            let reference = order &+ entry.delta
            guard !heldOrders.contains(reference) else { continue }
            heldOrders = heldOrders.suffix(Self.mostHeld - 1) + [reference]
        }
    }

    /// Returns PicOrderCntVal (8.3.1). The arithmetic wraps, because damaged low bits must not trap.
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
