/// The luma of each pixel of a part of a picture, 0...255.
///
/// Luma is that of ITU-R BT.601 on the coded values, 0.299 R + 0.587 G + 0.114 B, in 256ths that add up to 256. A gray
/// pixel's luma is its own value.
struct LumaPlane {
    let width: Int
    let height: Int
    private(set) var values: [UInt8]

    init(_ image: PosterImage) {
        width = image.width
        height = image.height
        let bytes = image.bytes.span
        values = unsafe [UInt8](unsafeUninitializedCapacity: image.width * image.height) { buffer, count in
            count = image.width * image.height
            for i in 0..<count {
                let (red, green, blue) = (Int(bytes[3 * i]), Int(bytes[3 * i + 1]), Int(bytes[3 * i + 2]))
                unsafe buffer.initializeElement(at: i, to: UInt8((77 * red + 150 * green + 29 * blue + 128) >> 8))
            }
        }
    }

    private init(width: Int, height: Int, values: [UInt8]) {
        self.width = width
        self.height = height
        self.values = values
    }

    /// Returns the plane without some rows.
    func without(_ rows: Set<Int>) -> LumaPlane {
        guard !rows.isEmpty else { return self }
        var part: [UInt8] = []
        for y in 0..<height where !rows.contains(y) { part += values[y * width..<(y + 1) * width] }
        return LumaPlane(width: width, height: part.count / width, values: part)
    }

    /// Returns the part inside `area`.
    func cropped(to area: LumaArea) -> LumaPlane {
        if area.width == width && area.height == height { return self }
        var part: [UInt8] = []
        part.reserveCapacity(area.width * area.height)
        for y in area.rows { part += values[y * width + area.columns.lowerBound..<y * width + area.columns.upperBound] }
        return LumaPlane(width: area.width, height: area.height, values: part)
    }
}

/// A non-empty rectangle of whole pixels.
struct LumaArea: Hashable {
    let columns: Range<Int>
    let rows: Range<Int>
    var width: Int { columns.count }
    var height: Int { rows.count }
}

/// A histogram of luma, with the values derived from it.
struct LumaHistogram {
    private var counts = [Int](repeating: 0, count: 256)
    private let total: Int

    init(_ plane: LumaPlane) {
        total = plane.values.count
        for value in plane.values { counts[Int(value)] += 1 }
    }

    /// The mean, 0...255.
    var mean: Double {
        var sum = 0
        for (value, count) in counts.enumerated() { sum += value * count }
        return Double(sum) / Double(total)
    }

    /// Returns the smallest occurring luma that at least `percent` of the pixels do not exceed.
    func percentile(_ percent: Int) -> Int {
        let wanted = max(1, (total * percent + 99) / 100)
        var sum = 0
        for (value, count) in counts.enumerated() {
            sum += count
            if sum >= wanted { return value }
        }
        return 255
    }

    /// Returns the fraction of pixels whose luma is in `range`.
    func share(_ range: ClosedRange<Int>) -> Double { Double(counts[range].reduce(0, +)) / Double(total) }

    /// The relative frequencies of the values that occur.
    var frequencies: [Double] { counts.compactMap { $0 > 0 ? Double($0) / Double(total) : nil } }
}
