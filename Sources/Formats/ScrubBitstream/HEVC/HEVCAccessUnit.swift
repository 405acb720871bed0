/// The accumulated facts about the slice segments of one packet while it is being read.
struct HEVCAccessUnit {
    var carriesSequenceSet = false
    var carriesPictureSet = false
    var carriesParameterSets = false
    var changesParameterSets = false
    var filmGrain = CodedPicture.FilmGrain.untold
    /// Whether the packet contains an end of sequence or end of bitstream unit.
    var endsSequence = false
    /// Whether the packet contains a unit of another type.
    var hasOtherUnits = false
    /// A decoder's treatment of earlier pictures because of this one.
    private(set) var change = CodedPicture.DecoderChange.none
    var isUnderstood = true
    /// Whether a decoder may hold a picture with the order count of the last one, and therefore drop the last one.
    var repeatsOrder = false
    /// Whether decoders have output a picture that follows one of this packet's in output order.
    var isLate = false
    /// Whether NAL units of enhancement layers were skipped.
    var hasOtherLayers = false
    /// The first picture's header, if it was read.
    private(set) var firstSlice: HEVCSliceHeader?
    /// Whether the first picture is a RASL picture that decoders skip.
    private(set) var isDropped = false

    private(set) var first: HEVCUnitHeader?
    private var pictureCount = 0
    private var shownCount = 0
    private var isIntra = true
    private var hasBipredictive = false
    private var isReference = false
    private var startsSequence = false
    private var orderCount: Int?

    /// Adds the first slice segment of a picture.
    mutating func addPicture(
        _ slice: HEVCSliceHeader, header: HEVCUnitHeader, orderCount count: Int, startsSequence starts: Bool,
        isDropped isLeftOut: Bool, isReference isUsed: Bool
    ) {
        if first == nil {
            first = header
            firstSlice = slice
            isDropped = isLeftOut
            startsSequence = starts
            orderCount = count
        }
        pictureCount += 1
        // A RASL picture whose IRAP picture began the sequence is never output, whatever its flag says (8.3.1,
        // C.5.2.2).
        if slice.isOutput && !isLeftOut { shownCount += 1 }
        if isUsed { isReference = true }
        addSlice(slice)
    }

    /// Records the treatment of earlier pictures at one of the packet's pictures; an unproven change takes precedence.
    mutating func note(_ found: CodedPicture.DecoderChange) {
        if change == .none || found == .unproven { change = found }
    }

    /// Whether a slice segment was seen.
    var hasSlices: Bool { first != nil || pictureCount > 0 }

    /// Adds another slice segment of the last picture.
    mutating func addSlice(_ slice: HEVCSliceHeader) {
        // A segment before any picture's first one means that the start of the picture is lost.
        if pictureCount == 0 { isUnderstood = false }
        guard let kind = slice.kind else { return }
        if kind != .i { isIntra = false }
        if kind == .b { hasBipredictive = true }
    }

    /// Records a slice segment whose header is unreadable; its NAL unit header still identifies restarts and leading
    /// pictures.
    mutating func noteUnreadSlice(_ header: HEVCUnitHeader) {
        if first == nil { first = header }
        isIntra = isIntra && header.isRandomAccessPoint
        isReference = true
    }

    /// The resulting facts about the packet.
    var picture: CodedPicture {
        var picture = CodedPicture()
        picture.carriesParameterSets = carriesParameterSets
        picture.lacksParameterSets = !carriesSequenceSet || !carriesPictureSet
        picture.filmGrain = filmGrain
        picture.isUnderstood = isUnderstood && pictureCount > 0
        guard let first else { return picture }
        picture.pictureCount = max(1, pictureCount)
        picture.shownCount = pictureCount == 0 ? 1 : shownCount
        picture.isShown = picture.shownCount > 0
        picture.isIntra = isIntra
        picture.pictureType = isIntra ? .i : hasBipredictive ? .b : .p
        // New parameter sets and an end of sequence affect pictures after the one with which they come.
        picture.isReference = isReference || changesParameterSets || endsSequence || !picture.isUnderstood
        picture.leading = first.isSkippedLeading ? .skipped : first.isDecodableLeading ? .decodable : .none
        picture.startsSequence = startsSequence
        picture.repeatsOrder = repeatsOrder
        picture.isLate = isLate
        picture.decoderChange = change
        picture.orderCount = orderCount
        picture.temporalID = first.temporalID
        picture.isBrokenLink = first.isBrokenLink
        picture.randomAccess = randomAccess(first)
        return picture
    }

    private func randomAccess(_ header: HEVCUnitHeader) -> RandomAccess {
        switch header.type {
        // BLA_W_RADL and BLA_N_LP have no RASL pictures (7.4.2.2), so nothing after them is lost.
        case 17, 18, 19, 20: .instantaneous
        case 16, 21: .open
        default: isIntra ? .inexact : .none
        }
    }
}
