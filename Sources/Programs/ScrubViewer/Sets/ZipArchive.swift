#if Viewer
internal import ScrubBase

/// The parts of a ZIP archive whose files are stored unchanged (PKWARE APPNOTE 6.3, without compression or
/// encryption).
///
/// Compression would not make pictures smaller, and a stored archive can be sent while it is read, with its length
/// known in advance.
struct ZipArchive {
    /// A file in the archive.
    struct Entry: Sendable {
        let name: [UInt8]
        let byteCount: UInt32
        let checksum: UInt32
    }

    private var offset: UInt32 = 0
    private var directory: [UInt8] = []
    private var count: UInt16 = 0

    /// Returns the bytes before a file's content, which follows.
    ///
    /// - Precondition: the earlier entries, with the bytes, are below 4 GiB and 65,535 files, as checked by
    ///   ``length(of:)``.
    mutating func begin(_ entry: Entry) -> [UInt8] {
        let shared =
            Self.bytes(UInt16(20)) + Self.bytes(UInt16(0x0800)) + Self.bytes(UInt16(0))
            + Self.bytes(UInt32(0x0021_0000))
            + Self.bytes(entry.checksum) + Self.bytes(entry.byteCount) + Self.bytes(entry.byteCount)
            + Self.bytes(UInt16(truncatingIfNeeded: entry.name.count)) + Self.bytes(UInt16(0))
        let head = Self.bytes(UInt32(0x0403_4B50)) + shared + entry.name
        directory += Self.bytes(UInt32(0x0201_4B50)) + Self.bytes(UInt16(20)) + shared
        directory += [UInt8](repeating: 0, count: 10) + Self.bytes(offset) + entry.name
        offset += UInt32(head.count) + entry.byteCount
        count += 1
        return head
    }

    /// Returns the bytes after the last file.
    func end() -> [UInt8] {
        directory + Self.bytes(UInt32(0x0605_4B50)) + [0, 0, 0, 0] + Self.bytes(count) + Self.bytes(count)
            + Self.bytes(UInt32(truncatingIfNeeded: directory.count)) + Self.bytes(offset) + [0, 0]
    }

    /// Returns the byte count of a whole archive; `nil` if it is too large for this format.
    static func length(of entries: [Entry]) -> Int? {
        let sum = entries.reduce(22) { $0 + 30 + 46 + 2 * $1.name.count + Int($1.byteCount) }
        return sum < Int(UInt32.max) && entries.count < Int(UInt16.max) && entries.allSatisfy { $0.name.count < 65_536 }
            ? sum : nil
    }

    private static func bytes(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

/// The checksum of ZIP (and PNG): CRC-32 with the polynomial 0xEDB88320.
struct CRC32 {
    private var register: UInt32 = .max

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { word, _ in word & 1 == 1 ? word >> 1 ^ 0xEDB8_8320 : word >> 1 }
    }

    mutating func update(_ bytes: [UInt8]) {
        for byte in bytes { register = register >> 8 ^ CRC32.table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] }
    }

    var value: UInt32 { ~register }
}
#endif
