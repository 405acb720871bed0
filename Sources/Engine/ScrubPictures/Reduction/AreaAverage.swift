/// Collects rows of three channels, top row first, into a smaller picture whose pixels are the averages of the pixels
/// that they cover.
struct AreaAverage {
    typealias Finish = (inout [Float], inout [Float], inout [Float]) -> Void

    private let height: Int
    private let size: PictureSize
    /// The sums for the row in progress: whole rows of the source.
    private var sums: (red: [Float], green: [Float], blue: [Float])
    private var red: [Float]
    private var green: [Float]
    private var blue: [Float]
    private var row = 0
    private let covers: [Cover]
    /// The picture, 16-bit RGB with the low byte first.
    private(set) var bytes: [UInt8]

    /// The columns that a column of the result covers: the first and the last one partially.
    private struct Cover {
        var first: Int
        var last: Int
        var firstShare: Float
        var lastShare: Float
    }

    /// - Precondition: the size is not larger than the source.
    init(width: Int, height: Int, size: PictureSize) {
        precondition(size.width <= width && size.height <= height, "an area average cannot enlarge a picture")
        (self.height, self.size) = (height, size)
        let empty = [Float](repeating: 0, count: width)
        sums = (empty, empty, empty)
        let short = [Float](repeating: 0, count: size.width)
        (red, green, blue) = (short, short, short)
        bytes = [UInt8](repeating: 0, count: size.width * size.height * 6)
        covers = (0..<size.width).map { x in
            let (begin, end) = (x * width, (x + 1) * width)
            let (first, last) = (begin / size.width, (end - 1) / size.width)
            let head = min(end, (first + 1) * size.width) - begin
            return Cover(
                first: first, last: last, firstShare: Float(head) / Float(size.width),
                lastShare: first == last ? 0 : Float(end - last * size.width) / Float(size.width))
        }
    }

    /// Adds the next row of the source.
    ///
    /// - Parameter finish: converts averages to output codes, for each row of the result.
    mutating func add(_ red: [Float], _ green: [Float], _ blue: [Float], row y: Int, _ finish: Finish) {
        // In units of a fraction of a source row: a row of the result covers `height`, a row of the source
        // `size.height`.
        let end = (row + 1) * height
        let below = max(0, (y + 1) * size.height - end)
        accumulate(red, green, blue, Float(size.height - below) / Float(height))
        guard (y + 1) * size.height >= end else { return }
        store(finish)
        row += 1
        Self.clear(&sums.red)
        Self.clear(&sums.green)
        Self.clear(&sums.blue)
        // No row of the source covers more than two rows of a smaller picture.
        if below > 0 { accumulate(red, green, blue, Float(below) / Float(height)) }
    }

    private mutating func accumulate(_ red: [Float], _ green: [Float], _ blue: [Float], _ share: Float) {
        Self.add(red, share, to: &sums.red)
        Self.add(green, share, to: &sums.green)
        Self.add(blue, share, to: &sums.blue)
    }

    private static func add(_ line: [Float], _ share: Float, to sum: inout [Float]) {
        let from = line.span
        var into = sum.mutableSpan
        precondition(from.count == into.count, "the rows have different lengths")
        for x in 0..<into.count { unsafe into[unchecked: x] += from[unchecked: x] * share }
    }

    private static func clear(_ sum: inout [Float]) {
        var into = sum.mutableSpan
        for x in 0..<into.count { unsafe into[unchecked: x] = 0 }
    }

    private mutating func store(_ finish: Finish) {
        let scale = Float(size.width) / Float(sums.red.count)
        Self.shorten(sums.red, covers, scale, &red)
        Self.shorten(sums.green, covers, scale, &green)
        Self.shorten(sums.blue, covers, scale, &blue)
        finish(&red, &green, &blue)
        let start = row * size.width * 6
        let (lines, count) = ([red, green, blue], size.width)
        var out = bytes.mutableSpan
        for (channel, line) in lines.enumerated() {
            for x in 0..<count {
                let code = UInt16(max(0, min(65535, line[x] + 0.5)))
                let at = start + (x * 3 + channel) * 2
                out[at] = UInt8(truncatingIfNeeded: code)
                out[at + 1] = UInt8(truncatingIfNeeded: code >> 8)
            }
        }
    }

    private static func shorten(_ sum: [Float], _ covers: [Cover], _ scale: Float, _ line: inout [Float]) {
        let from = sum.span
        for (x, cover) in covers.enumerated() {
            var total = from[cover.first] * cover.firstShare + from[cover.last] * cover.lastShare
            for i in cover.first + 1..<max(cover.first + 1, cover.last) { total += from[i] }
            line[x] = total * scale
        }
    }
}
