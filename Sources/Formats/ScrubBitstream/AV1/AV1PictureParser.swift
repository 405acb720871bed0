/// Reads AV1 temporal units in decoding order.
struct AV1PictureParser: Sendable {
    private var sequence: AV1SequenceHeader?
    private var generation = 0
    /// The kind of the frame in each of the eight slots, if known (7.20, 7.21).
    private var slots: [AV1FrameHeader.Kind?] = AV1PictureParser.unknownSlots

    private static let unknownSlots = [AV1FrameHeader.Kind?](repeating: nil, count: 8)

    /// The accumulated facts about the frames of one temporal unit while it is being read.
    private struct TemporalUnit {
        var carriesSequence = false
        /// Whether a sequence header precedes the first frame.
        var startsWithSequence = false
        var isUnderstood = true
        var frames: [AV1FrameHeader] = []
        var layers: [AV1FrameHeader.Layer] = []
        /// For each frame, the number of temporal delimiters before it. Contrary to the rules, a packet may contain
        /// several temporal units.
        var delimiters: [Int] = []
        var delimiterCount = 0
        /// Whether there were frames of layers that decoders skip (5.3.1).
        var hasOmittedFrames = false
        /// Whether show_existing_frame showed a key frame, which refreshes every slot (7.21).
        var reloadsKey = false
    }

    init(extradata: Span<UInt8>) {
        var ignored = TemporalUnit()
        var units = AV1Units(configuration: extradata)
        while let unit = units.next() { read(unit, in: extradata, into: &ignored) }
        generation = 0
    }

    /// Forgets the frames but not the sequence header.
    mutating func reset() { slots = AV1PictureParser.unknownSlots }

    /// Reads one packet; `isWhole` is false if only its first bytes are given.
    mutating func parse(_ packet: Span<UInt8>, isWhole: Bool) -> CodedPicture {
        var unit = TemporalUnit()
        var units = AV1Units(packet)
        let before = generation
        while let next = units.next() { read(next, in: packet, into: &unit) }
        if units.isOverrun && isWhole { unit.isUnderstood = false }
        if generation > before + 1 { generation = before + 1 }
        return picture(unit)
    }

    /// The maximum number of frames to inspect in a packet: hidden and shown frames of 4 spatial and 8 temporal layers
    /// (6.2.2).
    static let mostFrames = 64

    private mutating func read(_ unit: AV1Unit, in bytes: Span<UInt8>, into temporal: inout TemporalUnit) {
        if unit.kind == .temporalDelimiter { temporal.delimiterCount += 1 }
        guard let kind = unit.kind, kind == .sequenceHeader || kind.startsFrame else { return }
        // A command to show a frame again takes three bytes; a packet with millions of them is not worth the memory.
        guard temporal.frames.count < AV1PictureParser.mostFrames else {
            temporal.isUnderstood = false
            return
        }
        var reader = BitReader(bytes.extracting(unit.payload))
        do {
            if kind == .sequenceHeader {
                temporal.carriesSequence = true
                let header = try AV1SequenceHeader(&reader)
                if header != sequence { generation += 1 }
                sequence = header
                if temporal.frames.isEmpty { temporal.startsWithSequence = true }
                return
            }
            guard let sequence else { throw HeaderError.missingParameterSet }
            guard sequence.decodes(unit) else {
                temporal.hasOmittedFrames = true
                return
            }
            let header = try AV1FrameHeader(&reader, sequence: sequence, layer: unit.layer)
            update(header, in: &temporal)
            temporal.frames.append(header)
            temporal.layers.append(unit.layer)
            temporal.delimiters.append(temporal.delimiterCount)
        } catch {
            temporal.isUnderstood = false
            // The slots that a lost frame refreshed are unknown from now on.
            if kind != .sequenceHeader { slots = AV1PictureParser.unknownSlots }
        }
    }

    /// Runs the reference frame update process (7.20), and the loading of a shown key frame (7.21).
    private mutating func update(_ header: AV1FrameHeader, in temporal: inout TemporalUnit) {
        if let slot = header.shownSlot {
            guard slots[slot] != .key else {
                temporal.reloadsKey = true
                slots = [AV1FrameHeader.Kind?](repeating: .key, count: 8)
                return
            }
            // An unknown frame could be a key frame.
            if slots[slot] == nil { temporal.reloadsKey = true }
            return
        }
        for slot in 0..<8 where header.refreshedSlots >> slot & 1 == 1 { slots[slot] = header.kind }
    }

    private func picture(_ unit: TemporalUnit) -> CodedPicture {
        var picture = CodedPicture()
        picture.carriesParameterSets = unit.carriesSequence
        picture.parameterSetGeneration = generation
        picture.isUnderstood = unit.isUnderstood && (!unit.frames.isEmpty || unit.hasOmittedFrames)
        guard let first = unit.frames.first else {
            // It is neither decoded nor shown.
            if picture.isUnderstood { (picture.isShown, picture.isReference) = (false, unit.carriesSequence) }
            return picture
        }
        let coded = unit.frames.filter { $0.shownSlot == nil }
        picture.isIntra = !coded.isEmpty && coded.allSatisfy { $0.kind == .key || $0.kind == .intraOnly }
        picture.pictureType = coded.isEmpty ? .unknown : picture.isIntra ? .i : .p
        picture.pictureCount = unit.frames.count
        picture.shownCount = shownCount(unit)
        picture.isShown = picture.shownCount > 0 || !picture.isUnderstood
        picture.temporalID = unit.layers.first?.temporal ?? 0
        // If no slot changes, nothing can depend on the frame, because all prediction of pixels, motion and
        // probabilities goes through the slots (7.20).
        let changesNothing = unit.frames.count == 1 && first.refreshedSlots == 0 && !unit.reloadsKey
        picture.isReference = !changesNothing || !picture.isUnderstood || unit.carriesSequence
        // Only a key frame that is shown at once refreshes every slot. If it is shown later (a forward key frame),
        // frames in between still need the older slots. Without a sequence header in the same temporal unit, it is not
        // a random access point (7.6.1): decoders do not get one from the container's configuration, and reject the
        // frame.
        let isKey = first.shownSlot == nil && first.kind == .key && first.isShown
        picture.randomAccess = isKey && unit.startsWithSequence ? .instantaneous : .none
        picture.startsSequence = isKey
        return picture
    }

    /// Returns the number of frames that a decoder outputs. Of several spatial layers of a temporal unit, only the
    /// highest is output (7.18.1). If some are hidden or shown later, or if a layer is shown twice, it is unknown which
    /// layer is output when, so all of them count.
    private func shownCount(_ unit: TemporalUnit) -> Int {
        let shown = unit.frames.indices.filter { unit.frames[$0].isShown || unit.frames[$0].shownSlot != nil }
        guard sequence?.hasSpatialLayers ?? false, !shown.isEmpty else { return shown.count }
        let layers = Set(shown.map { [unit.delimiters[$0], unit.layers[$0].spatial] })
        guard layers.count == unit.frames.count, unit.frames.allSatisfy({ $0.shownSlot == nil }) else {
            return unit.frames.count
        }
        return Set(shown.map { unit.delimiters[$0] }).count
    }
}
