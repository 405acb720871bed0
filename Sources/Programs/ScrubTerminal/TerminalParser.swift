/// Finds keys, mouse actions and answers in a terminal's bytes, wherever reads split them.
///
/// Pure. Memory: the bytes of an unfinished sequence so far, at most 4 KiB.
struct TerminalParser: Sendable {
    enum Item: Hashable, Sendable {
        case key(TerminalKey)
        case mouse(TerminalMouse)
        case reply(TerminalReply)
    }

    private static let longest = 4096
    private var pending: [UInt8] = []

    /// Whether a sequence is incomplete. If nothing follows within about 50 ms, it was not a sequence: call
    /// ``flush()``.
    var isUnfinished: Bool { !pending.isEmpty }

    /// Parses more bytes.
    mutating func feed(_ bytes: some Sequence<UInt8>) -> [Item] {
        pending.append(contentsOf: bytes)
        var (items, place): ([Item], Int) = ([], 0)
        while place < pending.count {
            let (step, item) = next(pending[place...])
            if let item { items.append(item) }
            guard step > 0 else {
                // An answer without an end is ignored.
                if pending.count - place > TerminalParser.longest { place = pending.count }
                break
            }
            place += step
        }
        pending.removeFirst(place)
        return items
    }

    /// Interprets the pending bytes as separate keys: Escape, and the characters after it.
    mutating func flush() -> [Item] {
        guard let first = pending.first else { return [] }
        let rest = pending.dropFirst()
        pending = []
        guard first == 0x1B else { return [] }
        // Text that a terminal began is not typed keys.
        if let kind = rest.first, TerminalParser.isText(kind) { return [] }
        return [.key(TerminalKey(.escape))] + feed(rest)
    }

    private static func isText(_ byte: UInt8) -> Bool { [0x5F, 0x50, 0x5D].contains(byte) }

    /// One item: its byte count (0 if there are too few), and its content.
    private func next(_ bytes: ArraySlice<UInt8>) -> (Int, Item?) {
        let start = bytes.startIndex
        guard bytes[start] == 0x1B else { return character(bytes, []) }
        guard bytes.count > 1 else { return (0, nil) }
        switch bytes[start + 1] {
        case UInt8(ascii: "["): return control(bytes)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return (0, nil) }
            return (3, TerminalParser.letter(bytes[start + 2], []).map { .key($0) })
        case let kind where TerminalParser.isText(kind):
            return text(bytes)
        case 0x1B: return (1, .key(TerminalKey(.escape)))
        default:
            let (count, item) = character(bytes.dropFirst(), .alt)
            return (count == 0 ? 0 : count + 1, item)
        }
    }

    private func character(_ bytes: ArraySlice<UInt8>, _ modifiers: TerminalKey.Modifiers) -> (Int, Item?) {
        let byte = bytes[bytes.startIndex]
        func key(_ code: TerminalKey.Code, _ more: TerminalKey.Modifiers = []) -> (Int, Item?) {
            (1, .key(TerminalKey(code, modifiers.union(more))))
        }
        switch byte {
        case 0x0D, 0x0A: return key(.enter)
        case 0x09: return key(.tab)
        case 0x7F, 0x08: return key(.backspace)
        case 0: return key(.character(" "), .control)
        case 1...26: return key(.character(Character(UnicodeScalar(byte + 0x60))), .control)
        case 0x1B..<0x20: return (1, nil)
        case 0x20..<0x7F: return key(.character(Character(UnicodeScalar(byte))))
        default: break
        }
        let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1
        let rest = bytes.dropFirst().prefix(length - 1)
        guard length > 1, rest.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return (1, nil) }
        guard rest.count == length - 1 else { return (0, nil) }
        guard let text = String(validating: bytes.prefix(length), as: UTF8.self), let scalar = text.first else {
            return (1, nil)
        }
        return (length, .key(TerminalKey(.character(scalar), modifiers)))
    }

    /// Parses `ESC [`, numbers, a letter.
    private func control(_ bytes: ArraySlice<UInt8>) -> (Int, Item?) {
        let body = bytes.dropFirst(2)
        guard let end = body.firstIndex(where: { !(0x20..<0x40).contains($0) }) else {
            return (bytes.count > 64 ? bytes.count : 0, nil)
        }
        let count = end - bytes.startIndex + 1
        let final = bytes[end]
        // Something else began in the middle of the sequence.
        guard (0x40...0x7E).contains(final) else { return (count - 1, nil) }
        let parameters = body[..<end]
        let mark = parameters.first.flatMap { (0x3C...0x3F).contains($0) ? $0 : nil }
        let numbers = (mark == nil ? parameters : parameters.dropFirst())
            .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { part in
                // A second number after a colon qualifies the first one.
                Int(String(decoding: part.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)) ?? 0
            }
        return (count, TerminalParser.item(mark, numbers, final))
    }

    private static func item(_ mark: UInt8?, _ numbers: [Int], _ final: UInt8) -> Item? {
        func number(_ place: Int) -> Int { place < numbers.count ? max(0, min(numbers[place], 1 << 20)) : 0 }
        switch (mark, final) {
        case (UInt8(ascii: "<"), UInt8(ascii: "M")), (UInt8(ascii: "<"), UInt8(ascii: "m")):
            return mouse(number(0), number(1), number(2), isRelease: final == UInt8(ascii: "m"))
        case (UInt8(ascii: "?"), UInt8(ascii: "c")): return .reply(.deviceAttributes(numbers))
        case (nil, UInt8(ascii: "t")) where number(0) == 6:
            return .reply(.cellSize(width: number(2), height: number(1)))
        case (nil, UInt8(ascii: "~")):
            let codes: [Int: TerminalKey.Code] = [
                1: .home, 7: .home, 2: .insert, 3: .delete, 4: .end, 8: .end, 5: .pageUp, 6: .pageDown,
                11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
                17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
                23: .function(11), 24: .function(12),
            ]
            return codes[number(0)].map { .key(TerminalKey($0, modifiers(number(1)))) }
        case (nil, UInt8(ascii: "Z")): return .key(TerminalKey(.tab, .shift))
        case (nil, _): return letter(final, modifiers(number(1))).map { .key($0) }
        default: return nil
        }
    }

    /// Returns the modifiers for a number; xterm adds one to the bits.
    private static func modifiers(_ number: Int) -> TerminalKey.Modifiers {
        number > 1 ? TerminalKey.Modifiers(rawValue: (number - 1) & 7) : []
    }

    private static func letter(_ byte: UInt8, _ modifiers: TerminalKey.Modifiers) -> TerminalKey? {
        let codes: [UInt8: TerminalKey.Code] = [
            0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left, 0x46: .end, 0x48: .home, 0x50: .function(1),
            0x51: .function(2), 0x52: .function(3), 0x53: .function(4), 0x4D: .enter,
        ]
        return codes[byte].map { TerminalKey($0, modifiers) }
    }

    private static func mouse(_ bits: Int, _ column: Int, _ row: Int, isRelease: Bool) -> Item? {
        guard column > 0, row > 0 else { return nil }
        var held: TerminalKey.Modifiers = []
        if bits & 4 != 0 { held.insert(.shift) }
        if bits & 8 != 0 { held.insert(.alt) }
        if bits & 16 != 0 { held.insert(.control) }
        let button = bits & 3
        let action: TerminalMouse.Action
        if bits & 64 != 0 {
            guard button < 2 else { return nil }
            action = button == 0 ? .scrollUp : .scrollDown
        } else if bits & 32 != 0 {
            action = button == 3 ? .move : .drag
        } else {
            action = isRelease ? .release : .press
        }
        return .mouse(
            TerminalMouse(
                action, button: bits & 64 != 0 || button == 3 ? 0 : button, column: column - 1, row: row - 1,
                modifiers: held))
    }

    /// Parses `ESC _` (or `P`, `]`), a text, `ESC \` or BEL.
    private func text(_ bytes: ArraySlice<UInt8>) -> (Int, Item?) {
        let kind = bytes[bytes.startIndex + 1]
        var place = bytes.startIndex + 2
        while place < bytes.endIndex {
            let isBell = bytes[place] == 0x07
            if isBell || bytes[place] == 0x1B {
                guard isBell || place + 1 < bytes.endIndex else { return (0, nil) }
                let content = bytes[(bytes.startIndex + 2)..<place]
                // Escape followed by something else: the text was truncated.
                guard isBell || bytes[place + 1] == 0x5C else { return (place - bytes.startIndex, nil) }
                let count = place - bytes.startIndex + (isBell ? 1 : 2)
                guard kind == 0x5F, content.first == UInt8(ascii: "G") else { return (count, nil) }
                return (count, .reply(.graphics(String(decoding: content.dropFirst(), as: UTF8.self))))
            }
            place += 1
        }
        return (0, nil)
    }
}
