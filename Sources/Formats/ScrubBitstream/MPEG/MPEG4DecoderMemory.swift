/// State that libavcodec's MPEG-4 Part 2 decoder keeps across key planes and flushes, besides encoder names
/// (mpeg4videodec.c).
struct MPEG4DecoderMemory: Sendable {
    /// The number of layers with complexity fields since the last layer without them. Each adds to the number of bits
    /// to skip in a plane, even if the layer is only a repeat.
    private var complexityCount = 0
    private var declaredComplexityCount = 0
    private var ownComplexityCount = 0
    /// The distance of a decoder's first B plane from the plane before it, in ticks. It is used to scale field motion
    /// vectors until the next layer. `nil` if there was no B plane.
    private var fieldDistance: Int?
    private var lastFieldDistance: Int?
    private var base = 0
    private var baseBefore = 0
    private var lastTime = 0
    private var anchorDistance = 0
    /// The last two planes that are not B.
    private var anchors: (before: CodedPicture.PictureType, last: CodedPicture.PictureType) = (.unknown, .unknown)
    /// Whether a B plane followed the last one.
    private var hasBidirectional = false

    /// Marks the layers that were read as the configuration.
    mutating func declare() { declaredComplexityCount = complexityCount }

    /// Begins the next packet.
    mutating func begin() { ownComplexityCount = 0 }

    /// Records a layer, even if it repeats the previous one.
    mutating func take(_ layer: MPEG4Layer) {
        complexityCount = layer.hasComplexity ? complexityCount + 1 : 0
        ownComplexityCount = layer.hasComplexity ? ownComplexityCount + 1 : 0
        if !layer.hasComplexity { declaredComplexityCount = 0 }
        fieldDistance = nil
    }

    /// Records the time in a group header. Seconds count from it.
    mutating func beginGroup(atSecond second: Int) { base = second }

    /// Whether a decoder that begins with the packet skips a different number of bits.
    var inheritsComplexity: Bool { complexityCount != declaredComplexityCount + ownComplexityCount }

    /// The effect of a plane on field motion vectors in other planes.
    enum Role {
        case none
        /// The first B plane of a decoder that began at an I plane. All later planes use its distance.
        case measure
        /// The same, but its distance depends on where the decoder began.
        case change
    }

    /// Records a plane and returns its effect.
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
        // A decoder that begins with a group does not get the group's leading planes. For other decoders, they are the
        // first planes between two I planes.
        if isUneven || anchors.before == .i && anchors.last == .i { return .change }
        return anchors.last == .i ? .none : .measure
    }
}
