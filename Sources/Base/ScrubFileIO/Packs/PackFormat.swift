internal import ScrubBase

/// The bytes of a ``RecordPack``, in the machine's own byte order.
///
/// | what | bytes |
/// |---|---|
/// | magic, XXH3 of the next two, version and title's length, title | 24 + title |
/// | two slots, each the place of an index block, its number from 1 on, XXH3 of both | 2 x 24 |
/// | entries: records and index blocks, each a head and a body | |
///
/// An entry's head has its kind, its body's length, a number, the XXH3 of its body, and the XXH3 of all that with its
/// place and the title's checksum for a seed. So bytes that lie at another place, or in another file, are never taken
/// for one. A record's number is its own, an index block's is the place of the block before it, 0 for none.
///
/// Appending writes entries, and nothing before them changes but the slots. They take turns, so one is always whole.
struct PackFormat: Sendable {
    /// XXH3-64 of bytes with a seed.
    typealias Checksum = RecordPack.Checksum

    private static let magic: UInt64 = 0x4B43_4150_4252_4353  // "SCRBPACK" in little-endian order
    private static let version: UInt32 = 1
    private static let slotByteCount = 24
    /// The longest title that is believed.
    private static let longestTitle = 4096

    let title: [UInt8]
    let checksum: Checksum
    /// The checksum of version and title: the seed of all others.
    private let salt: UInt64

    /// The format of a pack with a title.
    ///
    /// - Precondition: at most 4,096 bytes.
    init(title: [UInt8], checksum: @escaping Checksum) {
        precondition(title.count <= PackFormat.longestTitle, "a title of \(title.count) bytes")
        (self.title, self.checksum) = (title, checksum)
        salt = checksum(PackFormat.named(title).span, 0)
    }

    /// Reads the beginning of a file; `nil` if it is not a pack's, of this version, and whole.
    init?(_ file: OwnedFile, checksum: @escaping Checksum) {
        guard let byteCount = file.byteCount, byteCount >= 24, let bytes = try? file.bytes(at: 0, count: 24) else {
            return nil
        }
        var head = BinaryReader(bytes.span)
        guard let magic = try? head.read(UInt64.self), magic == PackFormat.magic,
            let sum = try? head.read(UInt64.self),
            let version = try? head.read(UInt32.self), version == PackFormat.version,
            let count = try? head.read(UInt32.self), count <= PackFormat.longestTitle,
            let title = try? file.bytes(at: 24, count: Int(count))
        else { return nil }
        self.init(title: title, checksum: checksum)
        guard salt == sum, byteCount >= start else { return nil }
    }

    private static func named(_ title: [UInt8]) -> [UInt8] {
        var out = BinaryWriter()
        out.write(version)
        out.write(UInt32(title.count))
        return out.bytes + title
    }

    private var slots: Int64 { Int64(24 + title.count) }

    /// The place of the first entry.
    var start: Int64 { slots + Int64(2 * PackFormat.slotByteCount) }

    /// The bytes before the first entry, of a pack without index blocks.
    var beginning: [UInt8] {
        var out = BinaryWriter()
        out.write(PackFormat.magic)
        out.write(salt)
        return out.bytes + PackFormat.named(title) + [UInt8](repeating: 0, count: 2 * PackFormat.slotByteCount)
    }

    // MARK: Slots

    /// An index block that a slot points to.
    struct Slot {
        let place: Int64
        /// Index blocks up to this one, itself included.
        let number: UInt64
    }

    /// Reads the slots that are whole, the newest block's first.
    func readSlots(_ file: OwnedFile) -> [Slot] {
        let found = (0..<2).compactMap { which -> Slot? in
            guard let bytes = try? file.bytes(at: slotPlace(which), count: PackFormat.slotByteCount) else { return nil }
            var slot = BinaryReader(bytes.span)
            guard let place = try? slot.read(Int64.self), let number = try? slot.read(UInt64.self),
                let sum = try? slot.read(UInt64.self), sum == checksum(bytes.span.extracting(0..<16), salt),
                place >= start
            else { return nil }
            return Slot(place: place, number: number)
        }
        return found.sorted { $0.number > $1.number }
    }

    /// Returns a slot's bytes and their place.
    func slot(_ slot: Slot) -> (bytes: [UInt8], place: Int64) {
        var out = BinaryWriter()
        out.write(slot.place)
        out.write(slot.number)
        out.write(checksum(out.bytes.span, salt))
        return (out.bytes, slotPlace(Int(slot.number % 2)))
    }

    private func slotPlace(_ which: Int) -> Int64 { slots + Int64(which * PackFormat.slotByteCount) }
}

// MARK: Entries
extension PackFormat {
    enum Kind: UInt32 { case record = 0x5443_4950, block = 0x5844_4E49 }  // "PICT", "INDX"

    /// The front of an entry.
    struct Head {
        let kind: Kind
        /// Bytes of the body.
        let count: Int
        let number: UInt64
        let sum: UInt64

        static let byteCount = 32
        /// The longest body that is written or believed: 64 MiB.
        static let longestBody = 64 << 20

        /// Bytes of head and body.
        var whole: Int64 { Int64(Head.byteCount + count) }
    }

    /// Reads an entry's head; `nil` if it is not one that was written at this place.
    func head(_ bytes: Span<UInt8>, at place: Int64) -> Head? {
        guard bytes.count >= Head.byteCount else { return nil }
        var head = BinaryReader(bytes)
        guard let kind = (try? head.read(UInt32.self)).flatMap(Kind.init), let count = try? head.read(UInt32.self),
            count <= Head.longestBody, let number = try? head.read(UInt64.self), let sum = try? head.read(UInt64.self),
            let own = try? head.read(UInt64.self), own == checksum(bytes.extracting(0..<24), seed(place))
        else { return nil }
        return Head(kind: kind, count: Int(count), number: number, sum: sum)
    }

    /// Reads the head at a place of a file; `nil` unless the whole entry ends before `end`.
    func head(_ file: OwnedFile, at place: Int64, before end: Int64) -> Head? {
        guard place >= start, place <= end - Int64(Head.byteCount),
            let bytes = try? file.bytes(at: place, count: Head.byteCount), let head = head(bytes.span, at: place),
            head.whole <= end - place
        else { return nil }
        return head
    }

    /// Reads an entry with its body; `nil` unless all of it is as it was written, and ends before `end`.
    func entry(_ file: OwnedFile, at place: Int64, before end: Int64) -> (head: Head, body: [UInt8])? {
        guard let head = head(file, at: place, before: end),
            let body = try? file.bytes(at: place + Int64(Head.byteCount), count: head.count),
            isWhole(body.span, head)
        else { return nil }
        return (head, body)
    }

    /// Whether a body is the one that its head was written for.
    func isWhole(_ body: Span<UInt8>, _ head: Head) -> Bool { checksum(body, salt ^ head.number) == head.sum }

    /// Appends an entry that begins at a place.
    ///
    /// - Precondition: the body is at most as long as ``Head/longestBody``.
    func append(_ kind: Kind, number: UInt64, _ body: [UInt8], at place: Int64, to bytes: inout [UInt8]) {
        var head = BinaryWriter()
        head.write(kind.rawValue)
        head.write(UInt32(body.count))
        head.write(number)
        head.write(checksum(body.span, salt ^ number))
        head.write(checksum(head.bytes.span, seed(place)))
        bytes += head.bytes
        bytes += body
    }

    private func seed(_ place: Int64) -> UInt64 { salt ^ UInt64(bitPattern: place) }
}

// MARK: Index blocks
extension PackFormat {
    /// A record as index blocks have it.
    struct Row {
        let number: Int
        /// The place of its head.
        let place: Int64
        /// Bytes of its body.
        let count: Int

        static let byteCount = 24
    }

    /// After so many records comes an index block of them.
    static let rowsOfBlock = 1024

    /// Returns the body of an index block.
    func block(_ rows: [Row]) -> [UInt8] {
        var out = BinaryWriter()
        for row in rows {
            out.write(UInt64(row.number))
            out.write(row.place)
            out.write(UInt64(row.count))
        }
        return out.bytes
    }

    /// Reads the rows of a block that lies at a place: those whose records can be before it.
    func rows(_ body: [UInt8], before place: Int64) -> [Row] {
        var block = BinaryReader(body.span)
        var rows: [Row] = []
        rows.reserveCapacity(body.count / Row.byteCount)
        while let number = try? block.read(UInt64.self), let at = try? block.read(Int64.self),
            let count = try? block.read(UInt64.self)
        {
            guard let number = Int(exactly: number), count <= Head.longestBody, at >= start, at < place,
                Int64(count) + Int64(Head.byteCount) <= place - at
            else { continue }
            rows.append(Row(number: number, place: at, count: Int(count)))
        }
        return rows
    }
}
