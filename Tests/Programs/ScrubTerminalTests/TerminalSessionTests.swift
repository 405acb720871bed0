import Foundation
import Glibc
import ScrubBase
import ScrubMedia
import ScrubTestSupport
import Testing

@testable import ScrubTerminal

/// A terminal of which this process holds both ends.
private final class PseudoTerminal: @unchecked Sendable {
    // `@unchecked Sendable`: the descriptors never change, the read bytes are locked.
    let terminal: Int32
    let program: Int32
    private let bytes = Locked<[UInt8]>([])
    private var thread: DedicatedThread?

    /// - Parameter answer: the answer to the query.
    init(columns: UInt16, rows: UInt16, answer: String) throws {
        terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        // TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>, which Swift doesn't import.
        var (lock, number): (Int32, Int32) = (0, 0)
        try #require(ioctl(terminal, 0x4004_5431, &lock) == 0 && ioctl(terminal, 0x8004_5430, &number) == 0)
        program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        try #require(program >= 0)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(terminal, UInt(TIOCSWINSZ), &size) == 0)
        let (terminal, bytes) = (terminal, bytes)
        thread = try DedicatedThread {
            var room = [UInt8](repeating: 0, count: 65_536)
            var hasAnswered = false
            while true {
                let count = read(terminal, &room, room.count)
                guard count > 0 else { return }
                let all = bytes.withLock { all in
                    all += room.prefix(count)
                    return all
                }
                if !hasAnswered, String(decoding: all, as: UTF8.self).contains("\u{1B}[c") {
                    hasAnswered = true
                    let text = Array(answer.utf8)
                    _ = write(terminal, text, text.count)
                }
            }
        }
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(terminal, bytes, bytes.count)
    }

    var settings: termios {
        var settings = termios()
        tcgetattr(program, &settings)
        return settings
    }

    /// Hangs up; gives everything that was written.
    func end() -> [UInt8] {
        close(program)
        thread?.join()
        thread = nil
        close(terminal)
        return bytes.withLock { $0 }
    }
}

@Suite struct TerminalSessionTests {
    @Test func `a terminal is asked, shown pictures, and put back`() throws {
        let terminal = try PseudoTerminal(
            columns: 40, rows: 13, answer: "x\u{1B}[6;20;10t\u{1B}[?62;22c")
        let before = terminal.settings
        let session = try TerminalSession(
            input: terminal.program, output: terminal.program, options: .init(answerTime: .seconds(60)),
            environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor"])
        let sink = try TerminalSink(session)
        #expect(sink.graphics == .trueColor && session.capabilities.cellSize == .init(width: 10, height: 20))
        let size = session.size
        #expect(size.columns == 40 && size.rows == 13)
        #expect(terminal.settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == 0)
        #expect(session.takeEarlyInput() == [.key(TerminalKey(.character("x")))])
        let clip = try TerminalClips.open("h264-bf3.mp4")
        try sink.update { $0.note = "a clip" }
        try TerminalClips.play(clip, to: sink, limit: 5)
        let after = terminal.settings
        #expect(after.c_lflag == before.c_lflag && after.c_iflag == before.c_iflag)
        session.leave()
        let bytes = terminal.end()
        #expect(bytes.suffix(TerminalSession.farewell.count) == TerminalSession.farewell[...])
        // The screen has the fifth frame.
        var screen = ScreenModel(columns: 40, rows: 13)
        screen.feed(Array(bytes.dropLast(TerminalSession.farewell.count)))
        // The query's two words are all that the model does not know.
        #expect(screen.problems == ["16t", "c"] && !screen.isScrolled)
        #expect(String(screen.cells[12].map(\.text)).hasPrefix("0:00.160  #4  a clip"))
        var reader = FrameReader(clip)
        let picture = try #require(try reader.frame(numbered: 4).picture)
        let layout = TerminalLayout(
            width: picture.width, height: picture.height, in: size, .trueColor, hasStatus: true)
        let pixels = try picture.pixels(
            .rgb8,
            options: FramePicture.Options(size: .exact(width: layout.width, height: layout.height), background: .black)
        )
        for y in 0..<layout.height {
            for x in 0..<layout.width {
                let at = (y * layout.width + x) * 3
                let wanted =
                    UInt32(pixels.bytes[at]) << 16 | UInt32(pixels.bytes[at + 1]) << 8 | UInt32(pixels.bytes[at + 2])
                #expect(screen.cells[layout.row + y / 2][layout.column + x].halves[y % 2] == wanted)
            }
        }
    }

    @Test func `keys come from a thread that can be ended`() throws {
        let terminal = try PseudoTerminal(columns: 40, rows: 13, answer: "\u{1B}[?62c")
        let session = try TerminalSession(
            input: terminal.program, output: terminal.program, options: .init(answerTime: .seconds(60)),
            environment: ["TERM": "xterm-256color"])
        try session.enter()
        let got = BoundedQueue<TerminalInput>(capacity: 100)
        let keys = try TerminalKeys(session) { got.push($0) }
        terminal.type(" \u{1B}[Cq")
        #expect(got.pop() == .key(TerminalKey(.character(" "))))
        #expect(got.pop() == .key(TerminalKey(.right)))
        #expect(got.pop() == .key(TerminalKey(.character("q"))))
        terminal.type("\u{1B}")
        #expect(got.pop() == .key(TerminalKey(.escape)))
        keys.stop()
        keys.stop()
        session.leave()
        _ = terminal.end()
        #expect(!got.wantsAttention)
    }

    @Test func `the end of the input is told`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let got = BoundedQueue<TerminalInput>(capacity: 100)
        let keys = try TerminalKeys(descriptor: ends[0]) { got.push($0) }
        _ = write(ends[1], "a", 1)
        close(ends[1])
        #expect(got.pop() == .key(TerminalKey(.character("a"))))
        #expect(got.pop() == .closed)
        keys.stop()
        close(ends[0])
    }

    @Test func `other than terminals are refused`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        #expect(throws: ScrubError.self) { _ = try TerminalSession(input: ends[0], output: ends[1]) }
        close(ends[0])
        close(ends[1])
    }
}
