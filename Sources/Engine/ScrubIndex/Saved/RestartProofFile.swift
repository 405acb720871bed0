internal import ScrubFileIO
package import ScrubBase

/// The saved form of ``RestartProofs``: one checksum over the key, the restarts, and the results.
package enum RestartProofFile {
    private static let magic: UInt64 = 0x464f_5250_4252_4353  // "SCRBPROF" in little-endian order
    /// Restarts are compared by the pictures of this package's decoders, so the version also changes with the method of
    /// comparison.
    private static let version: UInt64 = 2

    package static func encode(_ found: [Int: Bool], key: IndexFile.Key) -> [UInt8] {
        let restarts = found.keys.sorted()
        return KeyedRecord.encode(magic: magic, version: version, key: key) { body in
            body.write(column: restarts.map { UInt32(clamping: $0) })
            body.write(column: restarts.map { found[$0] == true ? UInt8(1) : 0 })
        }
    }

    /// Reads saved results.
    ///
    /// - Throws: ``ScrubError/Code/badData`` if they are incomplete, or belong to another version or another file.
    package static func decode(
        _ bytes: Span<UInt8>, key: IndexFile.Key, pictures: Int
    ) throws(ScrubError) -> [Int: Bool] {
        try KeyedRecord.decode(bytes, magic: magic, version: version, key: key, name: "comparisons") {
            (body) throws(ScrubError) in
            let restarts = try body.readColumn(of: UInt32.self)
            let verdicts = try body.readColumn(of: UInt8.self)
            guard restarts.count == verdicts.count, restarts.allSatisfy({ Int($0) < pictures }) else {
                throw ScrubError(.badData, "the saved comparisons contradict each other")
            }
            return Dictionary(zip(restarts.map(Int.init), verdicts.map { $0 == 1 }), uniquingKeysWith: { $0 && $1 })
        }
    }
}
