internal import Bitstream
package import FileIO
internal import Hashing
internal import LibAV
package import ScrubBase

/// The saved form of an index: a header, the facts, then one column per property, under one checksum.
///
/// It is only ever a copy of what the file says. Anything that does not fit (version, byte order, checksum, size,
/// modification time, fingerprint) means that it is made again, never that it is mended.
package enum IndexFile {
    /// What the index belongs to: a state of a file, not a name.
    package struct Key: Hashable, Sendable {
        package var identity: FileSource.Identity
        /// XXH3 over the first and the last 64 KiB.
        package var fingerprint: UInt64
        /// The stream that was asked for, -1 for the main one.
        package var requestedStream: Int64

        /// Reads what is needed of a file.
        package init(_ file: FileSource, requestedStream: Int?) throws(ScrubError) {
            identity = file.identity
            self.requestedStream = Int64(requestedStream ?? -1)
            let part = Int(min(file.byteCount, 64 << 10))
            let head = xxh3(try file.read(at: 0, count: part))
            fingerprint = xxh3(try file.read(at: file.byteCount - Int64(part), count: part), seed: head)
        }

        /// The entry's name in the cache.
        package var name: String {
            var writer = BinaryWriter()
            writer.write(identity.byteCount)
            writer.write(identity.modified)
            writer.write(fingerprint)
            writer.write(requestedStream)
            let text = String(xxh3(writer.bytes), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
    }

    private static let magic: UInt64 = 0x5844_4942_5552_4353  // "SCRUBIDX" in little-endian order
    /// Raised with every change of the layout or of what the values mean.
    package static let version: UInt32 = 1
    private static let prefix = 24

    package static func encode(_ index: FrameIndex, key: Key) -> [UInt8] {
        var body = BinaryWriter()
        body.write(key.identity.byteCount)
        body.write(key.identity.modified)
        body.write(key.fingerprint)
        body.write(key.requestedStream)
        index.facts.write(to: &body)
        index.pictures.write(to: &body)
        let presentation = index.presentation
        body.write(column: presentation.displayOrder)
        body.write(presentation.repairedTimes == nil ? UInt64(0) : 1)
        body.write(column: presentation.repairedTimes ?? [])
        body.write(presentation.lastDuration)
        var file = BinaryWriter()
        file.write(magic)
        file.write(version)
        file.write(UInt32(0))
        file.write(xxh3(body.bytes))
        return file.bytes + body.bytes
    }

    /// Reads an index back.
    ///
    /// - Throws: ``ScrubError/Code/badData`` when it is not whole, of another version, or of another file.
    package static func decode(_ bytes: [UInt8], key: Key) throws(ScrubError) -> FrameIndex {
        var header = BinaryReader(bytes.span)
        guard bytes.count >= prefix, try header.read(UInt64.self) == magic, try header.read(UInt32.self) == version
        else { throw ScrubError(.badData, "the saved index is of another version") }
        _ = try header.read(UInt32.self)
        let checksum = try header.read(UInt64.self)
        let span = bytes.span.extracting(prefix..<bytes.count)
        guard xxh3(span) == checksum else { throw ScrubError(.badData, "the saved index is damaged") }
        var body = BinaryReader(span)
        guard try body.read(Int64.self) == key.identity.byteCount,
            try body.read(Int64.self) == key.identity.modified,
            try body.read(UInt64.self) == key.fingerprint,
            try body.read(Int64.self) == key.requestedStream
        else { throw ScrubError(.badData, "the saved index belongs to another file") }
        let facts = try StreamFacts(from: &body)
        let pictures = try CodedPictures(from: &body)
        let order = try body.readColumn(of: UInt32.self)
        let isRepaired = try body.read(UInt64.self) == 1
        let times = try body.readColumn(of: Int64.self)
        let lastDuration = try body.read(Int64.self)
        guard order.allSatisfy({ $0 < pictures.count }), !facts.descriptions.isEmpty else {
            throw ScrubError(.badData, "the saved index contradicts itself")
        }
        return FrameIndex(
            facts: facts, pictures: pictures,
            presentation: Presentation(
                displayOrder: order, repairedTimes: isRepaired ? times : nil, lastDuration: lastDuration))
    }
}
