/// An identifier and a size before content.
func element(_ id: [UInt8], _ parts: [UInt8]..., sizeLength: Int = 8) -> [UInt8] {
    let body = parts.flatMap { $0 }
    return id + size(body.count, length: sizeLength) + body
}

/// A size in a given number of bytes.
func size(_ value: Int, length: Int) -> [UInt8] {
    let marked = UInt64(value) | 1 << UInt64(7 * length)
    return (0..<length).reversed().map { UInt8(truncatingIfNeeded: marked >> UInt64(8 * $0)) }
}

func number(_ value: UInt64) -> [UInt8] {
    let all = (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    return Array(all.drop { $0 == 0 })
}

/// Bytes that differ from their neighbours, so that one at a wrong place is noticed.
func payload(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0) &* 31 &+ seed }
}

/// Identifiers as the format's documents print them.
enum ID {
    static let ebml: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]
    static let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67]
    static let info: [UInt8] = [0x15, 0x49, 0xA9, 0x66]
    static let tracks: [UInt8] = [0x16, 0x54, 0xAE, 0x6B]
    static let cluster: [UInt8] = [0x1F, 0x43, 0xB6, 0x75]
    static let cues: [UInt8] = [0x1C, 0x53, 0xBB, 0x6B]
    static let timestamp: [UInt8] = [0xE7]
    static let simpleBlock: [UInt8] = [0xA3]
    static let blockGroup: [UInt8] = [0xA0]
    static let block: [UInt8] = [0xA1]
    static let duration: [UInt8] = [0x9B]
    static let reference: [UInt8] = [0xFB]
    static let void: [UInt8] = [0xEC]
    static let crc: [UInt8] = [0xBF]
    static let timestampScale: [UInt8] = [0x2A, 0xD7, 0xB1]
    static let docType: [UInt8] = [0x42, 0x82]
    static let maxIDLength: [UInt8] = [0x42, 0xF2]
    static let maxSizeLength: [UInt8] = [0x42, 0xF3]
}

/// A small file, every part of which can be replaced.
struct MatroskaBuilder {
    var ebml = element(ID.ebml, element(ID.docType, Array("webm".utf8)))
    var info = element(ID.info, element(ID.timestampScale, number(1_000_000)))
    var tracks = element(
        ID.tracks, MatroskaBuilder.entry(), MatroskaBuilder.entry(number: 2, type: 2, codec: "A_OPUS"))
    /// The bytes between the head and the clusters.
    var beforeClusters: [UInt8] = []
    var clusters: [[UInt8]] = []
    /// The bytes behind the clusters, in the segment.
    var tail: [UInt8] = []
    /// Whether the segment tells its size.
    var isOpen = false

    static func entry(number track: UInt64 = 1, type: UInt64 = 1, codec: String = "V_VP9", _ more: [UInt8] = [])
        -> [UInt8]
    {
        element(
            [0xAE], element([0xD7], number(track)), element([0x83], number(type)),
            element([0x86], Array(codec.utf8)), more)
    }

    /// A block's header and payload.
    static func block(track: UInt8 = 1, time: Int16, flags: UInt8 = 0x80, _ bytes: [UInt8]) -> [UInt8] {
        let bits = UInt16(bitPattern: time)
        return [0x80 | track, UInt8(bits >> 8), UInt8(bits & 0xFF), flags] + bytes
    }

    static func cluster(time: UInt64, isOpen: Bool = false, _ blocks: [UInt8]...) -> [UInt8] {
        let body = element(ID.timestamp, number(time)) + blocks.flatMap { $0 }
        return isOpen ? ID.cluster + [0x01] + [UInt8](repeating: 0xFF, count: 7) + body : element(ID.cluster, body)
    }

    var bytes: [UInt8] {
        let body = info + tracks + beforeClusters + clusters.flatMap { $0 } + tail
        let head = isOpen ? ID.segment + [0xFF] : ID.segment + size(body.count, length: 8)
        return ebml + head + body
    }
}
