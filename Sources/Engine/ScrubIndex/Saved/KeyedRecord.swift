internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubBase

/// The envelope of records that are saved with an index: a magic number, a checksum over everything that follows, a
/// version, and the key of the file.
enum KeyedRecord {
    static func encode(
        magic: UInt64, version: UInt64, key: IndexFile.Key, _ write: (inout BinaryWriter) -> Void
    ) -> [UInt8] {
        var body = BinaryWriter()
        body.write(version)
        key.write(to: &body)
        write(&body)
        var header = BinaryWriter()
        header.write(magic)
        header.write(xxh3(body.bytes))
        return header.bytes + body.bytes
    }

    /// Reads the contents of the envelope.
    ///
    /// - Parameter name: the name of the record, for the error.
    /// - Throws: ``ScrubError/Code/badData`` if it is incomplete, or belongs to another version or another file, or the
    ///   error of `read`.
    static func decode<Value>(
        _ bytes: Span<UInt8>, magic: UInt64, version: UInt64, key: IndexFile.Key, name: String,
        _ read: (inout BinaryReader) throws(ScrubError) -> Value
    ) throws(ScrubError) -> Value {
        var header = BinaryReader(bytes)
        guard bytes.count >= 16, try header.read(UInt64.self) == magic,
            try header.read(UInt64.self) == xxh3(bytes.extracting(16..<bytes.count))
        else { throw ScrubError(.badData, "the saved \(name) are damaged") }
        var body = BinaryReader(bytes.extracting(16..<bytes.count))
        guard try body.read(UInt64.self) == version, try key.matches(&body) else {
            throw ScrubError(.badData, "the saved \(name) belong to another file")
        }
        return try read(&body)
    }
}
