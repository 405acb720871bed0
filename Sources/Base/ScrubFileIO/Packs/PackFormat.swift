internal import ScrubBase

/// The byte format of a ``RecordPack``, in the machine's own byte order.
///
/// | what | bytes |
/// |---|---|
/// | magic, XXH3 of the next two, version and title's length, title | 24 + title |
/// | two slots, each with the offset of an index block, its number from 1 on, XXH3 of both | 2 x 24 |
/// | entries: records and index blocks, each a header and a body | |
///
/// An entry's header has its kind, its body's length, a number, the XXH3 of its body, and the XXH3 of all of these
/// together with its offset, with the title's checksum as the seed. Bytes at another offset, or in another file, are
/// therefore never mistaken for an entry. For a record, the number is the record's own; for an index block, it is the
/// offset of the previous block, or 0 if there is none.
///
/// Appending writes entries and changes nothing before them except the slots. The slots are written alternately, so
/// that one is always intact.
struct PackFormat: Sendable {
    /// XXH3-64 of bytes with a seed.
    typealias Checksum = RecordPack.Checksum

    private static let magic: UInt64 = 0x4B43_4150_4252_4353  // "SCRBPACK" in little-endian order
    private static let version: UInt32 = 1
    private static let slotByteCount = 24
    /// The maximum length of a title that is accepted.
    private static let longestTitle = 4096

    let title: [UInt8]
    let checksum: Checksum
    /// The checksum of version and title, which is the seed of all other checksums.
    private let salt: UInt64

    /// Creates the format of a pack with a title.
    ///
    /// - Precondition: the title has at most 4,096 bytes.
    init(title: [UInt8], checksum: @escaping Checksum) {
        precondition(title.count <= PackFormat.longestTitle, "a title of \(title.count) bytes is too long")
        (self.title, self.checksum) = (title, checksum)
        salt = checksum(PackFormat.named(title).span, 0)
    }

    /// Reads the format from the start of a file; `nil` if the file is not a valid pack of this version.
    init?(_ file: PrivateFile, checksum: @escaping Checksum) {
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

    /// The offset of the first entry.
    var start: Int64 { slots + Int64(2 * PackFormat.slotByteCount) }

    /// The bytes before the first entry of a pack without index blocks.
    var beginning: [UInt8] {
        var out = BinaryWriter()
        out.write(PackFormat.magic)
        out.write(salt)
        return out.bytes + PackFormat.named(title) + [UInt8](repeating: 0, count: 2 * PackFormat.slotByteCount)
    }

    // MARK: Slots

    /// A slot with a reference to an index block.
    struct Slot {
        let place: Int64
        /// The number of index blocks up to and including this one.
        let number: UInt64
    }

    /// Reads the valid slots, with the newest block's first.
    func readSlots(_ file: PrivateFile) -> [Slot] {
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

    /// Returns a slot's bytes and their offset.
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

    /// The header of an entry.
    struct Head {
        let kind: Kind
        /// The size of the body in bytes.
        let count: Int
        let number: UInt64
        let sum: UInt64

        static let byteCount = 32
        /// The maximum size of a body that is written or accepted: 64 MiB.
        static let longestBody = 64 << 20

        /// The size of the header and body in bytes.
        var whole: Int64 { Int64(Head.byteCount + count) }
    }

    /// Reads an entry's header; `nil` if it was not written at this offset.
    func head(_ bytes: Span<UInt8>, at place: Int64) -> Head? {
        guard bytes.count >= Head.byteCount else { return nil }
        var head = BinaryReader(bytes)
        guard let kind = (try? head.read(UInt32.self)).flatMap(Kind.init), let count = try? head.read(UInt32.self),
            count <= Head.longestBody, let number = try? head.read(UInt64.self), let sum = try? head.read(UInt64.self),
            let own = try? head.read(UInt64.self), own == checksum(bytes.extracting(0..<24), seed(place))
        else { return nil }
        return Head(kind: kind, count: Int(count), number: number, sum: sum)
    }

    /// Reads the header at an offset of a file; `nil` unless the whole entry ends before `end`.
    func head(_ file: PrivateFile, at place: Int64, before end: Int64) -> Head? {
        guard place >= start, place <= end - Int64(Head.byteCount),
            let bytes = try? file.bytes(at: place, count: Head.byteCount), let head = head(bytes.span, at: place),
            head.whole <= end - place
        else { return nil }
        return head
    }

    /// Reads an entry with its body; `nil` unless it is intact and ends before `end`.
    func entry(_ file: PrivateFile, at place: Int64, before end: Int64) -> (head: Head, body: [UInt8])? {
        guard let head = head(file, at: place, before: end),
            let body = try? file.bytes(at: place + Int64(Head.byteCount), count: head.count),
            isWhole(body.span, head)
        else { return nil }
        return (head, body)
    }

    /// Returns whether a body matches its header.
    func isWhole(_ body: Span<UInt8>, _ head: Head) -> Bool { checksum(body, salt ^ head.number) == head.sum }

    /// Appends an entry that begins at an offset.
    ///
    /// - Precondition: the body is at most ``Head/longestBody`` long.
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
    /// A record's row in an index block.
    struct Row {
        let number: Int
        /// The offset of the record's header.
        let place: Int64
        /// The size of the record's body in bytes.
        let count: Int

        static let byteCount = 24
    }

    /// The number of records per index block.
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

    /// Reads the rows of a block at an offset, ignoring those whose records cannot be before it.
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
