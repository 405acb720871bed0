/// The mutations of text: playlists, WebVTT, JSON, XML, HTTP heads, scripts, positions.
enum TextMutation {
    private static let numbers = [
        "0", "-0", "-1", "1", "00", "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e308", "1e309", "-1e309", "1e-400",
        "0.1",
        "NaN", "inf", "0x10", "1/0", "0/0", "9999999999999999999999999999999999999999",
        "0.00000000000000000000000000001",
        "99:59:59.999", "00:00:00.000", "1:2:3:4:5", "%00", "٣",
    ]
    private static let spice = [
        "\"", "'", "\\", "{", "}", "[", "]", ",", ":", "<", ">", "&", "%", "#", "=", "/", "..", "\n", "\r", "\r\n",
        "\t",
        "\0", " ", "\u{FEFF}", "\u{2028}", "\u{301}", "😀", "\\u0000", "\\uD800", "&amp;", "&#0;", "%2e%2e", "-->", "@",
    ]

    static func apply(to bytes: inout [UInt8], _ draw: inout Draw) -> String {
        guard !bytes.isEmpty else {
            bytes = Array(spice[draw.below(spice.count)].utf8)
            return "something of nothing"
        }
        let place = draw.below(bytes.count)
        switch draw.below(10) {
        case 0...2:
            let runs = runs(of: bytes, \.isDigitLike)
            guard let run = draw.one(of: runs) else { break }
            bytes.replaceSubrange(run, with: numbers[draw.below(numbers.count)].utf8)
            return "number at \(run)"
        case 3: return PieceMutation.apply(to: &bytes, pieces: lines(of: bytes), &draw)
        case 4:
            bytes.insert(contentsOf: spice[draw.below(spice.count)].utf8, at: place)
            return "characters at \(place)"
        case 5:
            let words = runs(of: bytes, \.isWordLike)
            guard let run = draw.one(of: words), let other = draw.one(of: words) else { break }
            bytes.replaceSubrange(run, with: Array(bytes[other]))
            return "word \(other) at \(run)"
        case 6:
            let count = 1 << draw.below(12)
            let piece = Array(spice[draw.below(spice.count)].utf8)
            for _ in 0..<count { bytes.insert(contentsOf: piece, at: place) }
            return "\(count) times the same at \(place)"
        case 7:
            bytes[place] = [0x80, 0xC0, 0xED, 0xF5, 0xFF, 0][draw.below(6)]
            return "no UTF-8 at \(place)"
        case 8:
            let words = runs(of: bytes, \.isWordLike)
            guard let run = draw.one(of: words) else { break }
            bytes.removeSubrange(run)
            return "word out at \(run)"
        default: break
        }
        return ByteMutation.apply(to: &bytes, in: 0..<bytes.count, &draw)
    }

    private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for (place, byte) in bytes.enumerated() where byte == 0x0A {
            lines.append(start..<place + 1)
            start = place + 1
        }
        if start < bytes.count { lines.append(start..<bytes.count) }
        return lines
    }

    private static func runs(of bytes: [UInt8], _ belongs: (UInt8) -> Bool) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start: Int?
        for (place, byte) in bytes.enumerated() {
            if belongs(byte) {
                if start == nil { start = place }
            } else if let begin = start {
                runs.append(begin..<place)
                start = nil
            }
        }
        if let start { runs.append(start..<bytes.count) }
        return runs
    }
}

extension UInt8 {
    fileprivate var isDigitLike: Bool { (0x30...0x39).contains(self) || self == 0x2E }
    fileprivate var isWordLike: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) || self == 0x2D
    }
}
