/// What an MPEG-4 Part 2 decoder of libavcodec keeps over key planes and flushes, besides encoders' names
/// (mpeg4videodec.c).
struct MPEG4DecoderMemory: Sendable {
    /// Layers with fields about complexity since the last one without. Each adds to the bits that are skipped in a
    /// plane, though it is the same layer.
    private var complexityCount = 0
    private var declaredComplexityCount = 0
    private var ownComplexityCount = 0
    /// The distance of the first B plane that a decoder gets from the plane before it, in ticks. By it the motion of
    /// fields is scaled up to the next layer; `nil` where there was none.
    private var fieldDistance: Int?
    private var lastFieldDistance: Int?
    private var base = 0
    private var baseBefore = 0
    private var lastTime = 0
    private var anchorDistance = 0
    /// The last plane that is not B, and the one before it.
    private var anchors: (before: CodedPicture.PictureType, last: CodedPicture.PictureType) = (.unknown, .unknown)
    /// Whether a B plane followed it.
    private var hasBidirectional = false

    /// Makes what was read the configuration.
    mutating func declare() { declaredComplexityCount = complexityCount }

    /// Begins with the next packet.
    mutating func begin() { ownComplexityCount = 0 }

    /// Takes a layer, also one that is as the one before.
    mutating func take(_ layer: MPEG4Layer) {
        complexityCount = layer.hasComplexity ? complexityCount + 1 : 0
        ownComplexityCount = layer.hasComplexity ? ownComplexityCount + 1 : 0
        if !layer.hasComplexity { declaredComplexityCount = 0 }
        fieldDistance = nil
    }

    /// Takes the time of a group's header, from which seconds are counted.
    mutating func beginGroup(atSecond second: Int) { base = second }

    /// Whether a decoder that begins with the packet skips other bits.
    var inheritsComplexity: Bool { complexityCount != declaredComplexityCount + ownComplexityCount }

    /// The role of a plane for the motion of fields in others.
    enum Role {
        case none
        /// The first B plane that a decoder gets which began at an I plane: all later ones go by its distance.
        case measure
        /// The same, and not every decoder comes to the same distance.
        case change
    }

    /// Takes a plane.
    mutating func take(_ plane: MPEG4Plane, of layer: MPEG4Layer) -> Role {
        guard plane.type == .b else {
            (baseBefore, base) = (base, base &+ plane.seconds)
            let time = base &* layer.resolution &+ plane.increment
            (anchorDistance, lastTime) = (time &- lastTime, time)
            (anchors, hasBidirectional) = ((anchors.last, plane.type), false)
            return .none
        }
        let time = (baseBefore &+ plane.seconds) &* layer.resolution &+ plane.increment
        let distance = anchorDistance &- (lastTime &- time)
        let isFirst = !hasBidirectional
        hasBidirectional = true
        let isUneven = (fieldDistance ?? lastFieldDistance ?? distance) != distance
        if fieldDistance == nil { (fieldDistance, lastFieldDistance) = (distance, distance) }
        guard layer.isInterlaced, isFirst else { return .none }
        // Those that lead into a group are not given to a decoder that begins with it. Between two I planes they are
        // the first that another decoder gets.
        if isUneven || anchors.before == .i && anchors.last == .i { return .change }
        return anchors.last == .i ? .none : .measure
    }
}
