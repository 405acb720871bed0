import ScrubBase

/// A track's claims about itself, as far as they affect its blocks or the choice of a track (RFC 9559, 5.1.4.1).
package struct TrackEntry: Sendable, Equatable {
    /// The content of a track (5.1.4.1.3), with the numbers of the format.
    package enum Kind: UInt64, Sendable {
        case video = 1
        case audio = 2
        case complex = 3
        case logo = 16
        case subtitle = 17
        case buttons = 18
        case control = 32
        case metadata = 33
    }

    /// The number by which blocks refer to the track.
    package internal(set) var number: UInt64 = 0
    /// The kind of content; `nil` for a number that the format does not define.
    package internal(set) var kind: Kind?
    /// The codec's name, such as `V_MPEG4/ISO/AVC`; `nil` if the element is missing.
    package internal(set) var codecID: String?
    /// The codec's configuration data.
    package internal(set) var codecPrivate: [UInt8] = []
    /// Whether blocks are compressed, have stripped headers or are encrypted.
    package internal(set) var hasContentEncodings = false
    /// The duration in nanoseconds of a block that does not specify one (5.1.4.1.13); `nil` if unspecified.
    ///
    /// Files created before DefaultDuration was common have the deprecated FrameRate instead.
    package internal(set) var defaultDuration: UInt64?
    /// Whether players should prefer the track.
    package internal(set) var isDefault = true
    /// The deprecated factor for the track's times.
    package internal(set) var timestampScale = 1.0
    /// The number of nanoseconds to subtract from all times of the track.
    package internal(set) var codecDelay: UInt64 = 0

    /// Whether blocks are accompanied by their transparency (5.1.4.1.28.4).
    package internal(set) var hasAlpha = false

    /// The visible part of the pictures.
    package internal(set) var cropping = VideoCropping()

    init(_ master: MasterElement) throws(ScrubError) {
        var frameRate = 0.0
        for child in try master.children() {
            switch child.id {
            case .trackNumber: number = try master.unsigned(child)
            case .trackType: kind = Kind(rawValue: try master.unsigned(child))
            case .codecID: codecID = master.string(child)
            case .codecPrivate: codecPrivate = Array(master.bytes[child.body])
            case .contentEncodings: hasContentEncodings = true
            case .defaultDuration: defaultDuration = try master.unsigned(child)
            case .flagDefault: isDefault = try master.unsigned(child) != 0
            case .trackTimestampScale: timestampScale = try master.float(child)
            case .codecDelay: codecDelay = try master.unsigned(child)
            case .video:
                let video = master.child(child)
                for field in try video.children() {
                    if field.id == .frameRate { frameRate = try video.float(field) }
                    if field.id == .alphaMode { hasAlpha = (try? video.unsigned(field)) == 1 }
                    try cropping.read(field, of: video)
                }
            default: continue
            }
        }
        if (defaultDuration ?? 0) == 0, frameRate > 0 {
            defaultDuration = UInt64(exactly: (1_000_000_000 / frameRate).rounded(.down))
        }
    }
}

/// The numbers of a file's tracks; every block refers to one of them.
struct TrackNumbers: Sendable {
    /// The numbers below 64 as bits, nearly always all of them.
    private var low: UInt64 = 0
    private var high: Set<UInt64> = []

    init(_ tracks: [TrackEntry]) {
        for track in tracks {
            if track.number < 64 { low |= 1 << track.number } else { high.insert(track.number) }
        }
    }

    func contains(_ number: UInt64) -> Bool { number < 64 ? low >> number & 1 == 1 : high.contains(number) }
}
