package import ScrubBase

/// The item of an image file that contains the transparency of its primary picture (ISO/IEC 23008-12, 6.6.2.1.1).
package struct AlphaItem: Sendable, Equatable {
    /// The range of its coded picture in the file, in one piece; `nil` if it is in several pieces or in the metadata.
    package let range: Range<Int64>?

    /// The names that mark an auxiliary picture as transparency: MIAF (ISO/IEC 23000-22, 7.3.5.2) and HEVC's own
    /// (23008-12, B.2.2.1).
    static let meanings: Set<String> = [
        "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
    ]
    /// Larger metadata is ignored.
    private static let mostBytes: Int64 = 1 << 20

    /// Looks for the item.
    ///
    /// - Returns: `nil` for a file without such an item, and for metadata that cannot be read.
    package init?(in source: any ByteSource) {
        guard let bytes = AlphaItem.metadata(of: source) else { return nil }
        var reader = ItemReader(bytes)
        guard let found = try? reader.alphaItem() else { return nil }
        range = (try? reader.place(of: found)).flatMap { $0.upperBound <= source.byteCount ? $0 : nil }
    }

    /// Returns the content of the file's `meta` box.
    private static func metadata(of source: any ByteSource) -> [UInt8]? {
        var walk = FileBoxWalk(source)
        for _ in 0..<16 {
            guard let box = try? walk.next(), box.type != .moov else { return nil }
            guard box.type == "meta" else { continue }
            guard box.size <= mostBytes, !box.isTruncated else { return nil }
            return try? source.read(at: box.offset + box.headerSize, count: Int(box.size - box.headerSize))
        }
        return nil
    }
}

/// Reads the items of a `meta` box (ISO/IEC 14496-12, 8.11).
private struct ItemReader {
    private let bytes: [UInt8]
    private var boxes: [Box] = []
    private var warnings: [String] = []

    /// - Parameter bytes: the box's content, version and flags first.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        boxes = Box.children(of: bytes, in: min(4, bytes.count)..<bytes.count, path: "meta", warnings: &warnings)
    }

    private func fields(_ type: FourCC) throws(ScrubError) -> (version: UInt8, flags: UInt32, fields: Range<Int>) {
        guard let box = boxes.first(where: { $0.type == type }) else {
            throw ScrubError(.badData, "has no \(type) box")
        }
        return try box.fullHeader(in: bytes)
    }

    /// Returns the item with the primary item's transparency.
    mutating func alphaItem() throws(ScrubError) -> UInt32? {
        let bytes = bytes
        let primary = try fields("pitm")
        var cursor = ByteCursor(bytes.span.extracting(primary.fields))
        let number = try primary.version == 0 ? UInt32(cursor.readUInt16()) : cursor.readUInt32()
        let references = try fields("iref")
        for box in Box.children(of: bytes, in: references.fields, path: "iref", warnings: &warnings)
        where box.type == "auxl" {
            var cursor = ByteCursor(bytes.span.extracting(box.body))
            let from = try references.version == 0 ? UInt32(cursor.readUInt16()) : cursor.readUInt32()
            for _ in 0..<(try cursor.readUInt16()) {
                let to = try references.version == 0 ? UInt32(cursor.readUInt16()) : cursor.readUInt32()
                if to == number, try isAlpha(from) { return from }
            }
        }
        return nil
    }

    /// Whether an item has the property of transparency (`auxC`).
    private mutating func isAlpha(_ item: UInt32) throws(ScrubError) -> Bool {
        let bytes = bytes
        guard let list = boxes.first(where: { $0.type == "iprp" }) else { return false }
        let parts = Box.children(of: bytes, in: list.body, path: "iprp", warnings: &warnings)
        guard let container = parts.first(where: { $0.type == "ipco" }) else { return false }
        let properties = Box.children(of: bytes, in: container.body, path: "ipco", warnings: &warnings)
        for part in parts where part.type == "ipma" {
            let header = try part.fullHeader(in: bytes)
            var cursor = ByteCursor(bytes.span.extracting(header.fields))
            for _ in 0..<(try cursor.readUInt32()) {
                let owner = try header.version == 0 ? UInt32(cursor.readUInt16()) : cursor.readUInt32()
                for _ in 0..<(try cursor.readUInt8()) {
                    // The first bit indicates whether the property is essential.
                    let place =
                        try header.flags & 1 == 1
                        ? Int(cursor.readUInt16() & 0x7FFF) : Int(cursor.readUInt8() & 0x7F)
                    guard owner == item, place > 0, place <= properties.count else { continue }
                    let property = properties[place - 1]
                    guard property.type == "auxC" else { continue }
                    let text = bytes[try property.fullHeader(in: bytes).fields].prefix { $0 != 0 }
                    return AlphaItem.meanings.contains(String(decoding: text, as: UTF8.self))
                }
            }
        }
        return false
    }

    /// Returns the range of an item's bytes (`iloc`, 8.11.3).
    func place(of item: UInt32) throws(ScrubError) -> Range<Int64>? {
        let header = try fields("iloc")
        var cursor = ByteCursor(bytes.span.extracting(header.fields))
        let sizes = try cursor.readUInt16()
        let widths = (0..<4).map { Int(sizes >> (12 - 4 * UInt16($0)) & 15) }
        let count = try header.version < 2 ? Int(cursor.readUInt16()) : Int(cursor.readUInt32())
        for _ in 0..<count {
            let number = try header.version < 2 ? UInt32(cursor.readUInt16()) : cursor.readUInt32()
            let method = try header.version == 0 ? 0 : cursor.readUInt16() & 15
            try cursor.skip(2)
            let base = try ItemReader.number(widths[2], &cursor)
            let extents = try cursor.readUInt16()
            var found: Range<Int64>?
            for _ in 0..<extents {
                if header.version > 0 { _ = try ItemReader.number(widths[3], &cursor) }
                let (offset, length) = (
                    try ItemReader.number(widths[0], &cursor), try ItemReader.number(widths[1], &cursor)
                )
                let (start, isOver) = base.addingReportingOverflow(offset)
                let (end, isFar) = start.addingReportingOverflow(length)
                guard !isOver, !isFar, length > 0, end <= UInt64(Int64.max) else { continue }
                found = Int64(start)..<Int64(end)
            }
            // Method 0: from the start of the file.
            if number == item { return method == 0 && extents == 1 ? found : nil }
        }
        return nil
    }

    /// Returns a number of 0, 4 or 8 bytes.
    private static func number(_ width: Int, _ cursor: inout ByteCursor) throws(ScrubError) -> UInt64 {
        switch width {
        case 4: UInt64(try cursor.readUInt32())
        case 8: try cursor.readUInt64()
        default: 0
        }
    }
}
