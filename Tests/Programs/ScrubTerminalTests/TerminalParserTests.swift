import Foundation
import Glibc
import ScrubBase
import ScrubPlayersLogic
import ScrubTestSupport
import Testing

@testable import ScrubTerminal

@Suite struct TerminalParserTests {
    typealias Item = TerminalParser.Item
    private static func key(_ code: TerminalKey.Code, _ held: TerminalKey.Modifiers = []) -> Item {
        .key(TerminalKey(code, held))
    }

    /// A terminal's bytes, and their meaning.
    static let sequences: [(String, [Item])] = [
        ("a", [key(.character("a"))]), ("é", [key(.character("é"))]),
        ("€😀", [key(.character("€")), key(.character("😀"))]),
        (" ", [key(.character(" "))]), ("\u{03}", [key(.character("c"), .control)]),
        ("\u{1A}", [key(.character("z"), .control)]),
        ("\r", [key(.enter)]), ("\t", [key(.tab)]), ("\u{7F}", [key(.backspace)]),
        ("\u{1B}[A", [key(.up)]), ("\u{1B}[B", [key(.down)]), ("\u{1B}[C", [key(.right)]), ("\u{1B}[D", [key(.left)]),
        ("\u{1B}OA", [key(.up)]), ("\u{1B}OP", [key(.function(1))]), ("\u{1B}[H", [key(.home)]),
        ("\u{1B}[4~", [key(.end)]),
        ("\u{1B}[1;2C", [key(.right, .shift)]), ("\u{1B}[1;6D", [key(.left, [.shift, .control])]),
        ("\u{1B}[5~", [key(.pageUp)]), ("\u{1B}[3;5~", [key(.delete, .control)]), ("\u{1B}[Z", [key(.tab, .shift)]),
        ("\u{1B}x", [key(.character("x"), .alt)]), ("\u{1B}[24~", [key(.function(12))]),
        ("\u{1B}[<0;5;7M", [.mouse(TerminalMouse(.press, column: 4, row: 6))]),
        ("\u{1B}[<0;5;7m", [.mouse(TerminalMouse(.release, column: 4, row: 6))]),
        ("\u{1B}[<36;1;1M", [.mouse(TerminalMouse(.drag, column: 0, row: 0, modifiers: .shift))]),
        ("\u{1B}[<64;1;1M", [.mouse(TerminalMouse(.scrollUp, column: 0, row: 0))]),
        ("\u{1B}[<35;2;1M", [.mouse(TerminalMouse(.move, column: 1, row: 0))]),
        ("\u{1B}_Gi=31;OK\u{1B}\\", [.reply(.graphics("i=31;OK"))]),
        ("\u{1B}[6;20;10t", [.reply(.cellSize(width: 10, height: 20))]),
        ("\u{1B}[?62;4;22c", [.reply(.deviceAttributes([62, 4, 22]))]),
        // A sequence without a meaning is left out, whole.
        ("\u{1B}[200~", []), ("\u{1B}]0;title\u{07}", []), ("\u{1B}P1$r\u{1B}\\", []), ("\u{1B}[I", []),
    ]

    @Test(arguments: 1...6) func `sequences are found wherever reads part them`(step: Int) {
        var random = SplitMix(UInt64(step))
        for _ in 0..<200 {
            let chosen: [(String, [Item])] = (0..<6).map { _ in
                TerminalParserTests.sequences.randomElement(using: &random) ?? ("a", [])
            }
            let bytes = chosen.flatMap { Array($0.0.utf8) }
            var (parser, items): (TerminalParser, [Item]) = (TerminalParser(), [])
            for start in stride(from: 0, to: bytes.count, by: step) {
                items += parser.feed(bytes[start..<min(start + step, bytes.count)])
            }
            #expect(items == chosen.flatMap { $0.1 }, "\(chosen.map { $0.0 })")
            #expect(!parser.isUnfinished)
        }
    }

    @Test func `Escape is a key when nothing follows`() {
        var parser = TerminalParser()
        #expect(parser.feed([0x1B]).isEmpty && parser.isUnfinished)
        #expect(parser.flush() == [TerminalParserTests.key(.escape)] && !parser.isUnfinished)
        #expect(parser.feed([0x1B, 0x1B]) == [TerminalParserTests.key(.escape)])
        #expect(parser.flush() == [TerminalParserTests.key(.escape)])
        #expect(parser.feed(Array("\u{1B}[".utf8)).isEmpty)
        #expect(parser.flush() == [TerminalParserTests.key(.escape), TerminalParserTests.key(.character("["))])
        #expect(parser.feed(Array("\u{1B}_Gi=3".utf8)).isEmpty && parser.flush().isEmpty && !parser.isUnfinished)
    }

    @Test func `any bytes are handled, with bounded memory`() {
        var random = SplitMix(21)
        var parser = TerminalParser()
        for _ in 0..<20_000 {
            let bytes: [UInt8] = (0..<Int.random(in: 0...9, using: &random)).map { _ -> UInt8 in
                Bool.random(using: &random)
                    ? [0x1B, 0x5B, 0x3B, 0x30, 0x4D, 0x3C, 0x5F, 0x47].randomElement(using: &random) ?? 0
                    : UInt8.random(in: 0...255, using: &random)
            }
            _ = parser.feed(bytes)
            if Int.random(in: 0...20, using: &random) == 0 { _ = parser.flush() }
        }
        _ = parser.feed(Array("\u{1B}_".utf8) + [UInt8](repeating: 0x41, count: 100_000))
        #expect(!parser.isUnfinished)
    }

    @Test func `keys mean what players do`() {
        func command(_ text: String) -> TerminalCommand? {
            var parser = TerminalParser()
            guard case .key(let key)? = (parser.feed(Array(text.utf8)) + parser.flush()).first else { return nil }
            return TerminalCommand(key)
        }
        #expect(command(" ") == .togglePause && command(",") == .step(-1) && command(".") == .step(1))
        #expect(command("\u{1B}[D") == .skip(seconds: -5) && command("\u{1B}[1;2C") == .step(1))
        #expect(command("\u{1B}[A") == .changeRate(1) && command("[") == .changeRate(-1))
        #expect(command("0") == .seek(tenths: 0) && command("9") == .seek(tenths: 9) && command("٣") == nil)
        #expect(command("j") == .shuttle(.backward) && command("k") == .pause && command("l") == .shuttle(.forward))
        #expect(command("q") == .quit && command("\u{1B}") == .quit && command("\u{03}") == .quit)
        #expect(command("\u{1B}[H") == .first && command("\u{1B}[F") == .last && command("x") == nil)
    }

    @Test func `what a terminal answers is what it can`() {
        var can = TerminalCapabilities(environment: ["TERM": "xterm-256color"])
        #expect(can.graphics == .indexedColor)
        #expect(
            TerminalCapabilities(environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"]).graphics
                == .trueColor)
        #expect(TerminalCapabilities(environment: ["TERM": "screen", "TMUX": "/x"]).graphics == .trueColor)
        #expect(TerminalCapabilities(environment: ["TERM": "dumb", "COLORTERM": "truecolor"]).graphics == nil)
        #expect(TerminalCapabilities(environment: [:]).graphics == nil)
        #expect(can.take(.deviceAttributes([4, 6])) && !can.hasSixels)
        #expect(can.take(.deviceAttributes([62, 4])) && can.graphics == .sixel)
        #expect(!can.take(.graphics("i=30;OK")) && !can.take(.graphics("i=31;ENOTSUP")) && !can.hasKittyGraphics)
        #expect(!can.take(.graphics("i=31;OK")) && can.graphics == .kitty)
    }
}
