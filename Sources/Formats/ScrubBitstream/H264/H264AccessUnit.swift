/// The accumulated facts about the slices of one packet while it is being read.
struct H264AccessUnit {
    var info = H264SupplementalInfo()
    var carriesSequenceSet = false
    var carriesPictureSet = false
    var carriesParameterSets = false
    var changesParameterSets = false
    var inheritsSignalType = false
    var inheritsEncoder = false
    var inheritsLongTerm = false
    var imitation = 0
    var isUnderstood = true
    private(set) var pictureCount = 0
    private(set) var lastSlice: H264SliceHeader?

    private var first: H264SliceHeader?
    private var isFirstPictureIntra = true
    private var isFirstPictureIDR = true
    private var hasIDRSlice = false
    private var isIntra = true
    private var hasBipredictive = false
    private(set) var hasSlice = false
    private var isReference = false
    private var isReset = false
    private var isFieldPair = false
    private var isSecondField = false
    private var pairedFields = 0
    private var orderCount: Int?
    private var continuesFrameNumbers = true

    /// Adds the first slice of a picture.
    mutating func addPicture(
        _ slice: H264SliceHeader, orderCount count: Int, isSecondField isSecond: Bool, continuesFrameNumbers: Bool
    ) {
        if !continuesFrameNumbers { self.continuesFrameNumbers = false }
        if pictureCount == 0 {
            first = slice
            isSecondField = isSecond
            orderCount = count
            isReset = slice.marking.isReset
        } else if isSecond && pictureCount == 1 && !isSecondField {
            isFieldPair = true
            orderCount = orderCount.map { min($0, count) }
        }
        if isSecond && pictureCount > 0 { pairedFields += 1 }
        pictureCount += 1
        addSlice(slice)
    }

    /// Adds another slice of the last picture.
    mutating func addSlice(_ slice: H264SliceHeader) {
        lastSlice = slice
        note(isIDR: slice.isIDR, isReference: slice.isReference, kind: slice.kind)
    }

    /// Records a slice whose header is unreadable. Its first bytes are still used to rule out optimistic values.
    mutating func noteUnreadSlice(_ header: H264UnitHeader, kind: H264SliceHeader.Kind?) {
        isReference = true
        note(isIDR: header.isIDR, isReference: header.isReference, kind: kind)
    }

    private mutating func note(isIDR: Bool, isReference: Bool, kind: H264SliceHeader.Kind?) {
        hasSlice = true
        if isReference { self.isReference = true }
        let isIntraSlice = kind?.isIntra ?? false
        if !isIntraSlice { isIntra = false }
        if kind == .b { hasBipredictive = true }
        if isIDR { hasIDRSlice = true }
        guard pictureCount <= 1 else { return }
        if !isIntraSlice { isFirstPictureIntra = false }
        if !isIDR { isFirstPictureIDR = false }
    }

    /// The resulting facts about the packet.
    var picture: CodedPicture {
        var picture = CodedPicture()
        picture.carriesParameterSets = carriesParameterSets
        picture.lacksParameterSets = !carriesSequenceSet || !carriesPictureSet
        picture.x264Build = info.x264Build
        picture.imitation = imitation
        picture.namesEncoder = info.x264Build != nil
        picture.inheritsSignalType = inheritsSignalType
        picture.inheritsState = inheritsEncoder
        picture.inheritsLongTerm = inheritsLongTerm
        picture.filmGrain = info.filmGrain
        picture.isUnderstood = isUnderstood && pictureCount > 0
        guard hasSlice else { return picture }
        picture.isIntra = isIntra
        picture.pictureType = isIntra ? .i : hasBipredictive ? .b : .p
        // New parameter sets stay active after the picture with which they come.
        picture.isReference = isReference || changesParameterSets || !picture.isUnderstood
        picture.structure = first?.structure ?? .frame
        picture.isFieldPair = isFieldPair
        picture.isSecondField = isSecondField
        picture.startsSequence = (hasIDRSlice && isFirstPictureIDR || isReset) && !isSecondField
        picture.orderCount = orderCount
        picture.frameNumber = first?.frameNumber
        picture.continuesFrameNumbers = continuesFrameNumbers
        // Both fields of a frame are one picture to the caller.
        picture.pictureCount = max(1, pictureCount - pairedFields)
        picture.shownCount = picture.pictureCount
        setRandomAccess(&picture)
        return picture
    }

    private func setRandomAccess(_ picture: inout CodedPicture) {
        if isSecondField {
            // The first field would be missing, whatever this field is.
            picture.randomAccess = .none
        } else if hasIDRSlice {
            // IDR and other slices cannot share a picture (7.4.1.2.4); if they do, no restart is assumed.
            picture.randomAccess = isFirstPictureIDR ? .instantaneous : .inexact
            if !isFirstPictureIDR { picture.isUnderstood = false }
        } else if let recovery = info.recovery {
            picture.recoveryCount = recovery.count
            picture.isBrokenLink = recovery.isBrokenLink
            if !recovery.isExact {
                picture.randomAccess = .inexact
            } else if recovery.count > 0 {
                picture.randomAccess = .gradual
            } else {
                // A count of 0 means that this picture itself is exact, which is possible only for an intra picture.
                picture.randomAccess = isFirstPictureIntra ? .open : .inexact
            }
        } else if isFirstPictureIntra {
            picture.randomAccess = .inexact
        }
    }
}
