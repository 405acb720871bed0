internal import ScrubFileIO
package import ScrubBase

/// The saved form of dependencies that were found after the index was made: one checksum over the key and the tables.
///
/// It is a separate file because it is rarely needed: a seek finds the dependencies of its own group faster than it
/// reads all of them.
package enum DependencyFile {
    private static let magic: UInt64 = 0x5350_4544_4252_4353  // "SCRBDEPS" in little-endian order

    package static func encode(_ tables: [DependencyTable], key: IndexFile.Key) -> [UInt8] {
        KeyedRecord.encode(magic: magic, version: UInt64(IndexFile.version), key: key) { body in
            IndexFile.encode(tables, to: &body)
        }
    }

    /// Reads saved tables.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if they are incomplete, or belong to another version or another file.
    package static func decode(
        _ bytes: Span<UInt8>, key: IndexFile.Key, pictures: Int
    ) throws(ScrubError) -> [DependencyTable] {
        try KeyedRecord.decode(
            bytes, magic: magic, version: UInt64(IndexFile.version), key: key, name: "dependencies"
        ) { (body) throws(ScrubError) in try IndexFile.decodeDependencies(&body, pictures: pictures) }
    }
}
