/// The header and texts of a PNG file (Portable Network Graphics, third edition), with every chunk's checksum verified.
struct PNGFile {
    let width: Int
    let height: Int
    let bitDepth: Int
    let colorType: Int
    let isInterlaced: Bool
    /// The `tEXt` chunks by keyword.
    let texts: [String: String]

    /// Parses a PNG file.
    ///
    /// - Throws: `badData` if the bytes are not a complete PNG file.
    init(_ bytes: [UInt8]) throws(ScrubError) {
        func fault(_ cause: String) -> ScrubError { ScrubError(.badData, cause) }
        guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw fault("is not a PNG file")
        }
        func word(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        var (place, texts, isWhole): (Int, [String: String], Bool) = (8, [:], false)
        while bytes.count - place >= 12 {
            let length = word(place)
            guard length <= bytes.count - place - 12 else { throw fault("its chunk at byte \(place) is cut off") }
            let content = bytes[place + 8..<place + 8 + length]
            guard PNGFile.checksum(bytes[place + 4..<place + 8 + length]) == word(place + 8 + length) else {
                throw fault("its chunk at byte \(place) is damaged")
            }
            switch String(decoding: bytes[place + 4..<place + 8], as: UTF8.self) {
            case "tEXt":
                guard let end = content.firstIndex(of: 0) else { throw fault("a text chunk has no keyword") }
                // Latin-1; only ASCII is compared.
                texts[String(decoding: content[..<end], as: UTF8.self)] = String(
                    decoding: content[(end + 1)...], as: UTF8.self)
            case "IEND": isWhole = true
            default: break
            }
            place += 12 + length
        }
        guard isWhole, place == bytes.count, word(8) == 13, bytes[12..<16].elementsEqual("IHDR".utf8) else {
            throw fault("is not a complete PNG file")
        }
        (width, height, bitDepth, colorType) = (word(16), word(20), Int(bytes[24]), Int(bytes[25]))
        (isInterlaced, self.texts) = (bytes[28] != 0, texts)
    }

    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }

    /// Returns the CRC-32 (Annex D).
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> Int {
        var value = UInt32.max
        for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8 }
        return Int(~value)
    }
}
