@testable import ScrubTerminal

/// A small terminal: understands the renderers' output, and nothing else.
struct ScreenModel {
    struct Cell: Equatable {
        var text: Character = " "
        var fore: UInt32 = 0xFFFFFF
        var back: UInt32 = 0
        /// The colors of its upper and its lower half.
        var halves: [UInt32] { text == "▄" ? [back, fore] : [back, back] }
    }

    var cells: [[Cell]]
    /// The sequences that were not understood.
    var problems: [String] = []
    /// Texts of kitty's protocol and of sixels.
    var graphics: [String] = []
    var sixels: [String] = []
    var isScrolled = false
    private(set) var isUpdating = false
    private var (row, column) = (0, 0)
    private var (fore, back): (UInt32, UInt32) = (0xFFFFFF, 0)

    init(columns: Int, rows: Int) {
        cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
    }

    mutating func feed(_ bytes: [UInt8]) {
        var place = 0
        while place < bytes.count {
            if bytes[place] != 0x1B {
                let length = bytes[place] >= 0xE0 ? 3 : 1
                put(Character(String(decoding: bytes[place..<min(place + length, bytes.count)], as: UTF8.self)))
                place += length
                continue
            }
            let kind = bytes[place + 1]
            if kind == UInt8(ascii: "_") || kind == UInt8(ascii: "P") {
                guard
                    let end = (place..<bytes.count - 1).first(where: {
                        bytes[$0] == 0x1B && bytes[$0 + 1] == 0x5C && $0 > place
                    })
                else {
                    problems.append("a text without an end")
                    return
                }
                let text = String(decoding: bytes[(place + 2)..<end], as: UTF8.self)
                if kind == UInt8(ascii: "_") { graphics.append(text) } else { sixels.append(text) }
                place = end + 2
                continue
            }
            if kind == 0x5C {
                place += 2
                continue
            }
            let body = bytes[(place + 2)...]
            let end = body.firstIndex { $0 >= 0x40 } ?? bytes.endIndex - 1
            control(String(decoding: bytes[(place + 2)..<end], as: UTF8.self), Character(UnicodeScalar(bytes[end])))
            place = end + 1
        }
    }

    private mutating func control(_ body: String, _ final: Character) {
        let numbers = body.drop { $0 == "?" }.split(separator: ";").map { Int($0) ?? -1 }
        switch final {
        case "H": (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
        case "K": for x in column..<cells[row].count { cells[row][x] = Cell() }
        case "J": for y in cells.indices { for x in cells[y].indices { cells[y][x] = Cell() } }
        case "h", "l": if body == "?2026" { isUpdating = final == "h" }
        case "m":
            if numbers.isEmpty || numbers == [0] {
                (fore, back) = (0xFFFFFF, 0)
            } else if numbers.count == 5, numbers[1] == 2 {
                set(numbers[0], UInt32(numbers[2]) << 16 | UInt32(numbers[3]) << 8 | UInt32(numbers[4]))
            } else if numbers.count == 3, numbers[1] == 5 {
                set(numbers[0], TerminalPalette.color(numbers[2]))
            } else {
                problems.append("colors \(body)")
            }
        default: problems.append("\(body)\(final)")
        }
    }

    private mutating func set(_ kind: Int, _ color: UInt32) { if kind == 38 { fore = color } else { back = color } }

    private mutating func put(_ text: Character) {
        guard cells.indices.contains(row), cells[row].indices.contains(column) else {
            isScrolled = true
            return
        }
        cells[row][column] = Cell(text: text, fore: fore, back: back)
        column += 1
    }

    /// The pixels that a picture of sixels draws; nil where nothing is.
    static func pixels(ofSixels text: String) -> (width: Int, height: Int, pixels: [UInt32?])? {
        guard let start = text.firstIndex(of: "\"") else { return nil }
        var characters = Array(text[text.index(after: start)...].utf8)[...]
        func number() -> Int {
            var value = 0
            while let digit = characters.first, (0x30...0x39).contains(digit) {
                value = value * 10 + Int(digit) - 0x30
                characters = characters.dropFirst()
            }
            return value
        }
        func numbers() -> [Int] {
            var all = [number()]
            while characters.first == UInt8(ascii: ";") {
                characters = characters.dropFirst()
                all.append(number())
            }
            return all
        }
        let head = numbers()
        guard head.count == 4 else { return nil }
        let (width, height) = (head[2], head[3])
        var pixels = [UInt32?](repeating: nil, count: width * height)
        var (palette, color, x, top): ([Int: UInt32], Int, Int, Int) = ([:], 0, 0, 0)
        while let byte = characters.first {
            characters = characters.dropFirst()
            var count = 1
            var pattern = byte
            switch byte {
            case UInt8(ascii: "#"):
                let all = numbers()
                color = all[0]
                if all.count == 5 {
                    func code(_ percent: Int) -> UInt32 { UInt32((percent * 255 + 50) / 100) }
                    palette[color] = code(all[2]) << 16 | code(all[3]) << 8 | code(all[4])
                }
                continue
            case UInt8(ascii: "$"):
                x = 0
                continue
            case UInt8(ascii: "-"):
                (x, top) = (0, top + 6)
                continue
            case UInt8(ascii: "!"):
                count = number()
                pattern = characters.first ?? 63
                characters = characters.dropFirst()
            default: break
            }
            for _ in 0..<count {
                for bit in 0..<6 where (pattern - 63) >> bit & 1 == 1 {
                    guard x < width, top + bit < height else { return nil }
                    pixels[(top + bit) * width + x] = palette[color]
                }
                x += 1
            }
        }
        return (width, height, pixels)
    }
}
