internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubPictures

/// Thumbnails that are done, on disk until their sheets are: memory stays small however many there are, and a run that
/// was broken off goes on where it was.
///
/// Use from one thread.
struct ThumbnailJournal {
    /// A thumbnail's place in the file.
    fileprivate struct Place {
        var offset: Int64
        var width: Int
        var height: Int

        var byteCount: Int { width * height * 3 }
    }

    /// What a picture takes in the file.
    static func imageByteCount(_ size: PictureSize) -> Int { size.width * size.height * 3 }

    /// What is known of a frame that is done.
    struct Entry: Sendable {
        var verdict: Verdict
        var hash: String?
        fileprivate var places: [Place]

        /// Whether there are pictures of it.
        var hasImages: Bool { !places.isEmpty }
    }

    private var file: RecordFile
    private(set) var entries: [Int: Entry] = [:]

    /// Opens the journal of a set, or begins one.
    ///
    /// - Parameters:
    ///   - key: names the video and everything that the pictures depend on. A journal of another key is not used.
    ///   - sizes: of the pictures of each frame. Others were made by another version and are not used.
    init(path: String, key: String, sizes: [PictureSize]) throws(ScrubError) {
        var found: [Int: Entry] = [:]
        file = try RecordFile(
            path: path, head: Array("scrub-thumbnails-1\n\(key)\n".utf8),
            checksum: { UInt32(truncatingIfNeeded: xxh3($0)) }
        ) { body, start in
            guard let (frame, entry) = ThumbnailJournal.read(body, start, sizes: sizes) else { return false }
            found[frame] = entry
            return true
        }
        entries = found
    }

    /// Removes the file: everything is in its place.
    func remove() { file.remove() }

    /// Takes a frame's thumbnails down.
    mutating func append(_ answer: ThumbnailAnswer) throws(ScrubError) {
        var body: [UInt8] = []
        let text = [answer.verdict.name, answer.verdict.reason ?? "", answer.hash ?? ""].joined(separator: "\u{0}")
        for number in [answer.frame, text.utf8.count] { body.append(littleEndian: UInt32(truncatingIfNeeded: number)) }
        body += Array(text.utf8)
        var places: [Place] = []
        for image in answer.images {
            for number in [image.width, image.height] { body.append(littleEndian: UInt32(truncatingIfNeeded: number)) }
            places.append(Place(offset: Int64(body.count), width: image.width, height: image.height))
            body += image.bytes
        }
        let start = try file.append(body)
        for i in places.indices { places[i].offset += start }
        entries[answer.frame] = Entry(verdict: answer.verdict, hash: answer.hash, places: places)
    }

    /// A frame's thumbnail, 8-bit RGB.
    ///
    /// - Returns: `nil` for a frame that has none.
    func image(_ frame: Int, size: Int) throws(ScrubError) -> RasterImage? {
        guard let places = entries[frame]?.places, places.indices.contains(size) else { return nil }
        let place = places[size]
        return RasterImage(
            width: place.width, height: place.height, channels: 3, bitDepth: 8,
            bytes: try file.bytes(at: place.offset, count: place.byteCount), color: .sRGB)
    }

    private static func read(_ body: [UInt8], _ start: Int64, sizes: [PictureSize]) -> (frame: Int, entry: Entry)? {
        guard let frame = body.littleEndian(at: 0), let length = body.littleEndian(at: 4).map({ Int($0) }),
            length <= body.count - 8
        else { return nil }
        let text = String(decoding: body[8..<8 + length], as: UTF8.self)
        let words = text.split(separator: "\u{0}", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 3, let verdict = Verdict(name: words[0], reason: words[1]) else { return nil }
        var at = 8 + length
        var places: [Place] = []
        while at < body.count {
            guard let width = body.littleEndian(at: at), let height = body.littleEndian(at: at + 4),
                places.count < sizes.count, width == sizes[places.count].width, height == sizes[places.count].height
            else { return nil }
            let place = Place(offset: start + Int64(at + 8), width: Int(width), height: Int(height))
            at += 8 + place.byteCount
            guard at <= body.count else { return nil }
            places.append(place)
        }
        guard places.isEmpty || places.count == sizes.count else { return nil }
        return (Int(frame), Entry(verdict: verdict, hash: words[2].isEmpty ? nil : words[2], places: places))
    }
}

extension Verdict {
    fileprivate init?(name: String, reason: String) {
        switch name {
        case "exact": self = .exact
        case "damaged": self = .damaged(reason)
        case "approximate": self = .approximate(reason)
        case "undecodable": self = .undecodable(reason)
        default: return nil
        }
    }
}
