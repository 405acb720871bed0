internal import FileIO
internal import Hashing
package import ScrubBase

/// The saved form of ``RestartProofs``: one checksum over the key, the restarts and what was found of each.
package enum RestartProofFile {
    private static let magic: UInt64 = 0x464f_5250_4252_4353  // "SCRBPROF" in little-endian order
    /// Restarts are compared by what this program's decoders make of them, so another way of comparing counts anew.
    private static let version: UInt64 = 1

    package static func encode(_ found: [Int: Bool], key: IndexFile.Key) -> [UInt8] {
        var body = BinaryWriter()
        body.write(version)
        key.write(to: &body)
        let restarts = found.keys.sorted()
        body.write(column: restarts.map { UInt32(clamping: $0) })
        body.write(column: restarts.map { found[$0] == true ? UInt8(1) : 0 })
        var header = BinaryWriter()
        header.write(magic)
        header.write(xxh3(body.bytes))
        return header.bytes + body.bytes
    }

    /// Reads what was found back.
    ///
    /// - Throws: ``ScrubError/Code/badData`` when it is not whole, of another version or of another file.
    package static func decode(
        _ bytes: Span<UInt8>, key: IndexFile.Key, pictures: Int
    ) throws(ScrubError) -> [Int: Bool] {
        var header = BinaryReader(bytes)
        guard bytes.count >= 16, try header.read(UInt64.self) == magic,
            try header.read(UInt64.self) == xxh3(bytes.extracting(16..<bytes.count))
        else { throw ScrubError(.badData, "the saved comparisons are damaged") }
        var body = BinaryReader(bytes.extracting(16..<bytes.count))
        guard try body.read(UInt64.self) == version, try key.matches(&body) else {
            throw ScrubError(.badData, "the saved comparisons belong to another file")
        }
        let restarts = try body.readColumn(of: UInt32.self)
        let verdicts = try body.readColumn(of: UInt8.self)
        guard restarts.count == verdicts.count, restarts.allSatisfy({ Int($0) < pictures }) else {
            throw ScrubError(.badData, "the saved comparisons contradict each other")
        }
        return Dictionary(zip(restarts.map(Int.init), verdicts.map { $0 == 1 }), uniquingKeysWith: { $0 && $1 })
    }
}
