/// The identifier of an EBML element, with its length marker (RFC 8794, 5).
struct ElementID: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }
    private init(_ value: UInt32) { rawValue = value }

    // EBML's own elements (RFC 8794, 11.2 and 11.3).
    static let ebml = ElementID(0x1A45_DFA3)
    static let ebmlReadVersion = ElementID(0x42F7)
    static let ebmlMaxIDLength = ElementID(0x42F2)
    static let ebmlMaxSizeLength = ElementID(0x42F3)
    static let docType = ElementID(0x4282)
    static let void = ElementID(0xEC)
    static let crc32 = ElementID(0xBF)

    // The segment and its children (RFC 9559, 5.1).
    static let segment = ElementID(0x1853_8067)
    static let seekHead = ElementID(0x114D_9B74)
    static let seek = ElementID(0x4DBB)
    static let seekID = ElementID(0x53AB)
    static let seekPosition = ElementID(0x53AC)
    static let info = ElementID(0x1549_A966)
    static let tracks = ElementID(0x1654_AE6B)
    static let cluster = ElementID(0x1F43_B675)
    static let cues = ElementID(0x1C53_BB6B)
    static let attachments = ElementID(0x1941_A469)
    static let chapters = ElementID(0x1043_A770)
    static let tags = ElementID(0x1254_C367)

    // Info (5.1.2).
    static let timestampScale = ElementID(0x2A_D7B1)
    static let duration = ElementID(0x4489)

    // Cluster (5.1.3).
    static let timestamp = ElementID(0xE7)
    static let silentTracks = ElementID(0x5854)
    static let position = ElementID(0xA7)
    static let prevSize = ElementID(0xAB)
    static let simpleBlock = ElementID(0xA3)
    static let blockGroup = ElementID(0xA0)
    static let block = ElementID(0xA1)
    static let blockAdditions = ElementID(0x75A1)
    static let blockMore = ElementID(0xA6)
    static let blockAdditional = ElementID(0xA5)
    static let blockAddID = ElementID(0xEE)
    static let blockDuration = ElementID(0x9B)
    static let referencePriority = ElementID(0xFA)
    static let referenceBlock = ElementID(0xFB)
    static let discardPadding = ElementID(0x75A2)
    static let slices = ElementID(0x8E)

    // Cues (5.1.5).
    static let cuePoint = ElementID(0xBB)
    static let cueTime = ElementID(0xB3)
    static let cueTrackPositions = ElementID(0xB7)
    static let cueTrack = ElementID(0xF7)
    static let cueClusterPosition = ElementID(0xF1)

    // Tracks (5.1.4).
    static let trackEntry = ElementID(0xAE)
    static let trackNumber = ElementID(0xD7)
    static let trackType = ElementID(0x83)
    static let flagDefault = ElementID(0x88)
    static let defaultDuration = ElementID(0x23_E383)
    static let trackTimestampScale = ElementID(0x23_314F)
    static let codecID = ElementID(0x86)
    static let codecPrivate = ElementID(0x63A2)
    static let codecDelay = ElementID(0x56AA)
    static let contentEncodings = ElementID(0x6D80)
    static let video = ElementID(0xE0)
    static let alphaMode = ElementID(0x53C0)
    static let pixelWidth = ElementID(0xB0)
    static let pixelHeight = ElementID(0xBA)
    static let pixelCropBottom = ElementID(0x54AA)
    static let pixelCropTop = ElementID(0x54BB)
    static let pixelCropLeft = ElementID(0x54CC)
    static let pixelCropRight = ElementID(0x54DD)
    static let displayWidth = ElementID(0x54B0)
    static let displayHeight = ElementID(0x54BA)
    static let frameRate = ElementID(0x23_83E3)

    /// Children of the segment other than clusters and global elements. Any of these, or another cluster, ends a
    /// cluster of unknown size (RFC 8794, 6.2).
    static let segmentChildren: Set<ElementID> = [
        .seekHead, .info, .tracks, .cues, .attachments, .chapters, .tags,
    ]
    /// Elements that may be in any master element (RFC 8794, 11.3).
    static let global: Set<ElementID> = [.void, .crc32]
    /// Children of a cluster that do not affect blocks.
    static let clusterFurniture: Set<ElementID> = [.void, .crc32, .position, .prevSize, .silentTracks]
    /// Children of a block group that do not affect its picture or its time. CodecState is not included and is
    /// therefore rejected, because it changes the decoder.
    static let blockFurniture: Set<ElementID> = [
        .void, .crc32, .blockAdditions, .referencePriority, .discardPadding, .slices,
    ]
}

extension ElementID: CustomStringConvertible {
    var description: String { "element 0x" + String(rawValue, radix: 16, uppercase: true) }
}
