/// The rows of a PNG or APNG picture: the location of its data, and of each row in the data.
///
/// libavcodec silently skips a row whose filter is not one of the five (PNG 9.2). Marks in the picture's memory reveal
/// this, except in narrow pictures and rectangles, in pictures with palettes, and in interlaced pictures.
package struct PNGRows: Sendable {
    /// The parts of the data, which are one zlib stream.
    package private(set) var data: [Range<Int>] = []
    /// The rows of one pass, each preceded by a filter.
    package struct Pass: Sendable, Equatable {
        package let rowByteCount: Int
        package let rowCount: Int
    }
    package private(set) var passes: [Pass] = []
    /// Whether marks may miss a row.
    package private(set) var isExposed = false

    /// The width, the height, and the rest of a header.
    private struct Header {
        var width: Int
        var height: Int
        let depth: Int
        let channels: Int
        let isIndexed: Bool
        let isInterlaced: Bool

        /// - Parameter place: the position of the first byte of IHDR's content (PNG 11.2.2).
        init?(_ bytes: Span<UInt8>, at place: Int) {
            guard let width = bytes.bigEndian(at: place, bytes: 4),
                let height = bytes.bigEndian(at: place + 4, bytes: 4),
                bytes.count - place >= 13
            else { return nil }
            (self.width, self.height, depth) = (width, height, Int(bytes[place + 8]))
            let type = bytes[place + 9]
            guard [1, 2, 4, 8, 16].contains(depth), let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][type] else {
                return nil
            }
            (self.channels, isIndexed, isInterlaced) = (channels, type == 3, bytes[place + 12] == 1)
        }

        func rowByteCount(_ width: Int) -> Int { (width * depth * channels + 7) / 8 }
    }

    /// A mark has eight samples. In a rectangle with this many samples in a row, at least one mark is entirely inside.
    private static let wideEnough = 24
    /// PNG 7.1 allows what four bytes can represent; here, products must also not overflow.
    private static let longestSide = 1 << 24

    /// - Parameters:
    ///   - packet: the picture: a whole file or, for APNG, the chunks of a frame.
    ///   - extradata: for APNG, the chunks before the first frame.
    /// - Returns: `nil` for packets without a header and data.
    package init?(packet: Span<UInt8>, extradata: Span<UInt8>) {
        var header: Header?
        PNGChunk.forEach(of: extradata) { chunk in
            if chunk.name == PNGChunk.header { header = Header(extradata, at: chunk.content.lowerBound) }
            return header == nil
        }
        var data: [Range<Int>] = []
        PNGChunk.forEach(of: packet) { chunk in
            let (place, end) = (chunk.content.lowerBound, chunk.content.upperBound)
            switch chunk.name {
            case PNGChunk.header: header = Header(packet, at: place)
            case PNGChunk.frameControl:
                // sequence_number, width, height (PNG 11.3.6.2).
                guard let width = packet.bigEndian(at: place + 4, bytes: 4),
                    let height = packet.bigEndian(at: place + 8, bytes: 4)
                else { break }
                header?.width = width
                header?.height = height
            case PNGChunk.imageData: data.append(chunk.content)
            // sequence_number (11.3.6.3).
            case PNGChunk.frameData where end - place > 4: data.append(place + 4..<end)
            default: break
            }
            return true
        }
        guard let header, !data.isEmpty, (1...PNGRows.longestSide).contains(header.width),
            (1...PNGRows.longestSide).contains(header.height)
        else { return nil }
        self.data = data
        isExposed =
            header.isIndexed || header.isInterlaced || header.depth < 8
            || header.width * header.channels < PNGRows.wideEnough
        // Adam7 (PNG 8.1): the first row and column of each pass, and the steps.
        let grids =
            header.isInterlaced
            ? [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
            : [(0, 0, 1, 1)]
        for (row, column, rowStep, columnStep) in grids {
            let width = max(0, header.width - column + columnStep - 1) / columnStep
            let height = max(0, header.height - row + rowStep - 1) / rowStep
            if width > 0, height > 0 {
                passes.append(Pass(rowByteCount: header.rowByteCount(width), rowCount: height))
            }
        }
    }

    /// Finds filters that do not exist in the inflated data, which comes in pieces.
    package struct FilterReader: Sendable {
        private let passes: [Pass]
        private var pass = 0
        private var row = 0
        /// The remaining bytes of the current row; 0 before a filter.
        private var left = 0
        package private(set) var hasInvalidFilter = false

        package init(_ rows: PNGRows) { passes = rows.passes }

        /// Whether all rows were read, or an invalid filter was found.
        package var isOver: Bool { hasInvalidFilter || pass == passes.count && left == 0 }

        package mutating func read(_ bytes: Span<UInt8>) {
            var place = 0
            while place < bytes.count, !isOver {
                if left > 0 {
                    let count = min(left, bytes.count - place)
                    (left, place) = (left - count, place + count)
                    continue
                }
                if bytes[place] > 4 { hasInvalidFilter = true }
                (left, row, place) = (passes[pass].rowByteCount, row + 1, place + 1)
                if row == passes[pass].rowCount { (pass, row) = (pass + 1, 0) }
            }
        }
    }
}
