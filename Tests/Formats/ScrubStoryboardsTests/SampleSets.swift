import ScrubBase
import ScrubStoryboards
import ScrubTestSupport
import Testing

/// Made-up thumbnail sets.
enum SampleSets {
    /// The spacing of a set's slots.
    enum Spacing: CaseIterable {
        /// The duration over the number of thumbnails.
        case count
        /// Whole seconds; the last slot may be shorter.
        case seconds
        /// Anywhere.
        case uneven
    }

    /// A set from its numbers; frames are 1001/30000 s long.
    static func set(
        count: Int, columns: Int, rows: Int, duration: Rational, starts: [Rational],
        format: ImageFormat = .jpeg, lastSheet: Storyboard.SheetOptions.LastSheet = .full, tileWidth: Int = 160,
        tileHeight: Int = 90, name: (Int) -> String = { "sheet-\($0 / 100)\($0 / 10 % 10)\($0 % 10).jpg" }
    ) throws -> Storyboard {
        let layout = try Storyboard.SheetLayout(
            count: count, columns: columns, rows: rows, tileWidth: tileWidth, tileHeight: tileHeight, format: format,
            lastSheet: lastSheet)
        let frame = Rational(1001, 30_000)
        let frameCount = Int(try #require(duration.divided(by: frame)).doubleValue) + 1
        return Storyboard(
            file: "Füße \"1\".mp4", frameCount: frameCount, duration: duration, tileWidth: tileWidth,
            tileHeight: tileHeight, columns: columns, rows: rows, format: format,
            sheets: (0..<layout.sheetCount).map {
                let (width, height) = layout.size(ofSheet: $0)
                return .init(name: name($0), width: width, height: height, byteCount: 1000 + 37 * $0)
            },
            thumbnails: try (0..<count).map { number in
                let place = layout.place(of: number)
                let shown = min(Int(starts[number].doubleValue * 30_000 / 1001), frameCount - 1)
                return .init(
                    index: number, start: starts[number], requestedTime: starts[number],
                    time: try #require(frame.multiplied(by: Rational(Int64(shown)))), frameNumber: shown,
                    verdict: number % 5 == 3 ? "approximate" : "exact", sheet: place.sheet, x: place.x, y: place.y,
                    width: tileWidth, height: tileHeight, isRepeat: number % 7 == 6,
                    blurHash: number % 2 == 0 ? "LEHV6nWB2yk8pyo0adR*.7kCMdnj" : nil)
            })
    }

    /// The same set for a seed on every machine.
    static func random(
        _ seed: UInt64, spacing: Spacing? = nil, single: Bool = false,
        lastSheet: Storyboard.SheetOptions.LastSheet? = nil,
        format: ImageFormat? = nil
    ) throws -> Storyboard {
        var random = SplitMix(seed)
        let count = random.isOne(in: 8) ? 1 : Int.random(in: 1...70, using: &random)
        let columns = single ? 1 : Int.random(in: 1...7, using: &random)
        let rows = single ? 1 : Int.random(in: 1...7, using: &random)
        let spacing = try spacing ?? #require(Spacing.allCases.randomElement(using: &random))
        var duration = Rational(Int64.random(in: 200...9_000, using: &random) * 1001, 30_000)
        var starts: [Rational] = []
        switch spacing {
        case .count:
            starts = try (0..<count).map { try #require(duration.multiplied(by: Rational(Int64($0), Int64(count)))) }
        case .seconds:
            let step = Int64.random(in: 1...20, using: &random)
            starts = (0..<count).map { Rational(Int64($0) * step) }
            let part = Int64.random(in: 1...1000, using: &random)
            duration = Rational((Int64(count) - 1) * step * 1000 + part * step, 1000)
        case .uneven:
            let places = Set((0..<count).map { _ in Int64.random(in: 0..<6_000, using: &random) }).sorted()
            starts = try places.map { try #require(duration.multiplied(by: Rational($0, 6_000))) }
        }
        let lastSheet = lastSheet ?? (random.isOne(in: 2) ? .full : .trimmed)
        let sheetFormat = try format ?? #require(ImageFormat.allCases.randomElement(using: &random))
        let digits = Int.random(in: 1...4, using: &random)
        let suffix = sheetFormat.fileExtension
        return try set(
            count: starts.count, columns: columns, rows: rows, duration: duration, starts: starts,
            format: sheetFormat, lastSheet: lastSheet, tileWidth: 2 * Int.random(in: 20...200, using: &random),
            tileHeight: Int.random(in: 20...300, using: &random),
            name: {
                let number = String($0)
                return "Füße 100% #1, & $/新 " + String(repeating: "0", count: max(0, digits - number.count))
                    + number + ".\(suffix)"
            })
    }
}
