internal import FileIO
internal import Hashing
package import ScrubBase

/// The saved form of what was found out about dependencies after the index was made: one checksum over the key and the
/// tables.
///
/// It is a file of its own because it is wanted rarely: a seek finds out about its own group faster than it reads all.
package enum DependencyFile {
    private static let magic: UInt64 = 0x5350_4544_4252_4353  // "SCRBDEPS" in little-endian order

    package static func encode(_ tables: [DependencyTable], key: IndexFile.Key) -> [UInt8] {
        var body = BinaryWriter()
        body.write(UInt64(IndexFile.version))
        key.write(to: &body)
        IndexFile.encode(tables, to: &body)
        var header = BinaryWriter()
        header.write(magic)
        header.write(xxh3(body.bytes))
        return header.bytes + body.bytes
    }

    /// Reads tables back.
    ///
    /// - Throws: ``ScrubError/Code/badData`` when they are not whole, of another version or of another file.
    package static func decode(
        _ bytes: Span<UInt8>, key: IndexFile.Key, pictures: Int
    ) throws(ScrubError) -> [DependencyTable] {
        var header = BinaryReader(bytes)
        guard bytes.count >= 16, try header.read(UInt64.self) == magic,
            try header.read(UInt64.self) == xxh3(bytes.extracting(16..<bytes.count))
        else { throw ScrubError(.badData, "the saved dependencies are damaged") }
        var body = BinaryReader(bytes.extracting(16..<bytes.count))
        guard try body.read(UInt64.self) == UInt64(IndexFile.version), try key.matches(&body) else {
            throw ScrubError(.badData, "the saved dependencies belong to another file")
        }
        return try IndexFile.decodeDependencies(&body, pictures: pictures)
    }
}
