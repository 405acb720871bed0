/// A chunk of a PNG or APNG picture (PNG 5.3).
struct PNGChunk {
    /// The chunk's four letters, as a number.
    let name: Int
    let content: Range<Int>

    static let header = 0x4948_4452  // IHDR
    static let palette = 0x504c_5445  // PLTE
    static let imageData = 0x4944_4154  // IDAT
    static let frameControl = 0x6663_544c  // fcTL
    static let frameData = 0x6664_4154  // fdAT

    /// The first four bytes of a file's signature (PNG 5.2).
    private static let signature = 0x8950_4e47

    /// Calls a closure with the complete chunks of a file or a part of one.
    ///
    /// - Parameter body: returns false to stop.
    static func forEach(of bytes: Span<UInt8>, _ body: (PNGChunk) -> Bool) {
        var place = bytes.bigEndian(at: 0, bytes: 4) == signature ? 8 : 0
        while let count = bytes.bigEndian(at: place, bytes: 4), let name = bytes.bigEndian(at: place + 4, bytes: 4),
            count <= bytes.count - place - 8
        {
            guard body(PNGChunk(name: name, content: place + 8..<place + 8 + count)) else { return }
            place += count + 12
        }
    }
}
