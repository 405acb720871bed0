import Foundation
import ScrubBase
import ScrubMedia
import ScrubMediaLogic
import ScrubTestSupport
import Testing

@testable import ScrubTerminal

/// The viewer in the terminal without a terminal: keys, mouse and a clock that is moved by hand.
@Suite struct ViewerMachineTests {
    private static let area = ViewerMachine.Area(
        columns: 80, barRow: 23, pictureColumns: 80, cell: .init(width: 8, height: 16))

    private struct Viewer {
        let asset: VideoAsset
        let clock = ScrubTransport.ManualClock()
        var machine: ViewerMachine

        init(_ clip: String = "demo.mp4", frame: Int = 0) throws {
            asset = try TerminalClips.open(clip)
            machine = ViewerMachine(asset, frame: frame, clock: clock)
        }

        mutating func type(_ codes: TerminalKey.Code..., with modifiers: TerminalKey.Modifiers = []) -> [ViewerMachine
            .Effect]
        {
            codes.flatMap { machine.take(.key(TerminalKey($0, modifiers)), in: ViewerMachineTests.area) }
        }

        mutating func mouse(_ action: TerminalMouse.Action, _ column: Int, _ row: Int) -> [ViewerMachine.Effect] {
            machine.take(.mouse(TerminalMouse(action, column: column, row: row)), in: ViewerMachineTests.area)
        }

        mutating func wait(milliseconds: Int) -> [ViewerMachine.Effect] {
            clock.advance(by: .milliseconds(milliseconds))
            return machine.tick()
        }
    }

    @Test func `a step is asked for at once, and comes to rest 100 ms after the last one`() throws {
        var viewer = try Viewer()
        #expect(viewer.type(.right) == [.scrub(1, isMoving: true)])
        #expect(viewer.wait(milliseconds: 99) == [] && viewer.machine.wait == 1_000_000)
        #expect(viewer.type(.right) == [.scrub(2, isMoving: true)])
        #expect(viewer.wait(milliseconds: 99) == [])
        #expect(viewer.wait(milliseconds: 1) == [.rest] && viewer.machine.wait == nil)
        // There is nothing beyond the ends, and nothing is asked for there.
        #expect(viewer.type(.end) == [.scrub(209, isMoving: false)])
        #expect(viewer.type(.right) == [])
        #expect(viewer.type(.home) == [.scrub(0, isMoving: false)] && viewer.type(.left) == [])
        #expect(viewer.type(.character("q")) == [.quit] && viewer.type(.escape) == [.quit])
        #expect(viewer.machine.take(.closed, in: ViewerMachineTests.area) == [.quit])
    }

    @Test(arguments: [("demo.mp4", 12.0), ("vfr.mp4", 30), ("ntsc.mp4", 7)])
    func `playing shows what the clock says, and ends at the ends`(_ clip: String, _ step: Double) throws {
        var viewer = try Viewer(clip)
        let frames = viewer.asset.frames
        _ = viewer.type(.character(" "))
        var milliseconds = 0
        while viewer.machine.isPlaying {
            let effects = viewer.wait(milliseconds: Int(step))
            milliseconds += Int(step)
            let time = min(Rational(Int64(milliseconds), 1000), viewer.asset.duration)
            let wanted = try viewer.asset.presentedFrame(at: .time(time)).number
            #expect(viewer.machine.frame == wanted, "at \(milliseconds) ms")
            #expect(effects.allSatisfy { if case .scrub(let frame, _) = $0 { frame == wanted } else { $0 == .rest } })
            #expect(milliseconds < 20_000)
        }
        #expect(viewer.machine.frame == frames.count - 1)
        // Backward, faster each time, and again to an end.
        _ = viewer.type(.character("j"), .character("j"), .character("j"))
        #expect(viewer.machine.rate == -4 && viewer.machine.isPlaying)
        _ = viewer.wait(milliseconds: 10)
        for _ in 0..<2000 where viewer.machine.isPlaying { _ = viewer.wait(milliseconds: 10) }
        #expect(viewer.machine.frame == 0 && !viewer.machine.isPlaying)
    }

    @Test func `frames that were passed over are counted, at the film's own speed`() throws {
        var viewer = try Viewer()
        _ = viewer.type(.character("l"))
        _ = viewer.wait(milliseconds: 34)
        #expect(viewer.machine.frame == 1 && viewer.machine.skippedCount == 0)
        _ = viewer.wait(milliseconds: 166)
        #expect(viewer.machine.frame == 6 && viewer.machine.skippedCount == 4)
        _ = viewer.type(.character("l"))
        _ = viewer.wait(milliseconds: 1000)
        #expect(viewer.machine.frame == 66 && viewer.machine.skippedCount == 4)
        #expect(viewer.type(.character("k")) == [.rest])
        #expect(viewer.type(.character(",")) == [.scrub(65, isMoving: true)] && viewer.machine.skippedCount == 0)
    }

    @Test func `a drag is the library's gesture`() throws {
        var viewer = try Viewer(frame: 60)
        _ = viewer.mouse(.press, 20, 5)
        var gesture = ScrubGesture(options: .init(returnsOnCancel: true, fineSpeeds: ScrubGesture.FineSpeed.phone))
        _ = gesture.began(at: viewer.asset.fraction(ofFrame: 60), isPlaying: false)
        var random = SplitMix(7)
        for _ in 0..<500 {
            let (column, row) = (Int.random(in: 0..<80, using: &random), Int.random(in: 0..<23, using: &random))
            let effects = viewer.mouse(.drag, column, row)
            let before = viewer.machine.frame
            let target = try #require(
                gesture.changed(
                    translation: .init(x: Rational(Int64(column - 20) * 8), y: Rational(Int64(row - 5) * 16)),
                    width: Rational(640)
                ).target)
            let wanted = try viewer.asset.presentedFrame(at: .fraction(target)).number
            #expect(viewer.machine.frame == wanted)
            #expect(effects.isEmpty || effects == [.scrub(before, isMoving: true)])
        }
        // Escape takes it back; the mouse does not count any more until it is released.
        _ = viewer.type(.escape)
        #expect(viewer.machine.frame == 60 && !viewer.machine.isDragging && viewer.machine.fineFactor == nil)
        #expect(viewer.mouse(.drag, 1, 1) == [] && viewer.mouse(.release, 1, 1) == [])
        // The line of time goes from end to end.
        #expect(viewer.mouse(.press, 78, 23) == [.scrub(209, isMoving: true)])
        #expect(viewer.mouse(.drag, 200, 3) == [] && viewer.mouse(.drag, 0, 3) == [.scrub(0, isMoving: true)])
        #expect(viewer.mouse(.release, 0, 3) == [.rest])
    }

    @Test func `a drag pauses, and its end resumes`() throws {
        var viewer = try Viewer()
        _ = viewer.type(.character(" "))
        _ = viewer.mouse(.press, 20, 5)
        #expect(!viewer.machine.isPlaying)
        _ = viewer.mouse(.drag, 40, 5)
        _ = viewer.mouse(.release, 40, 5)
        #expect(viewer.machine.isPlaying)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func `whatever is typed, the frame exists and is the one that was asked for last`(seed: UInt64) throws {
        var random = SplitMix(seed)
        for clip in ["demo.mp4", "h264-single.mp4", "vfr.mp4"] {
            var viewer = try Viewer(clip)
            var asked = 0
            let codes: [TerminalKey.Code] =
                [.left, .right, .up, .down, .home, .end, .pageUp, .pageDown, .enter, .backspace, .escape, .tab]
                + "0123456789jkl ,.<>g:f?npéq%".map { .character($0) }
            for turn in 0..<1500 {
                let effects: [ViewerMachine.Effect]
                switch Int.random(in: 0..<10, using: &random) {
                case 0: effects = viewer.wait(milliseconds: Int.random(in: 0..<400, using: &random))
                case 1:
                    let action: TerminalMouse.Action = try #require(
                        [.press, .drag, .release, .scrollUp, .scrollDown, .move].randomElement(using: &random))
                    effects = viewer.mouse(
                        action, Int.random(in: 0..<200, using: &random), Int.random(in: 0..<30, using: &random))
                default:
                    let code = try #require(codes.randomElement(using: &random))
                    effects = viewer.type(code, with: Bool.random(using: &random) ? [] : .shift)
                }
                for case .scrub(let frame, _) in effects { asked = frame }
                #expect(viewer.machine.frame == asked, "\(clip), seed \(seed), turn \(turn)")
                #expect(viewer.asset.frames.indices.contains(asked))
                let columns = Int.random(in: 1..<200, using: &random)
                viewer.machine.measure(columns: max(2, columns - 1))
                let bar = ViewerLines.bar(viewer.machine, columns: columns)
                #expect(bar.text.count == max(2, columns - 1) && bar.text.count { $0 == "█" } == 1)
                #expect(viewer.machine.wait.map { $0 >= 0 } ?? true)
            }
        }
    }

    @Test func `a position is typed, and shown before the jump`() throws {
        var viewer = try Viewer()
        _ = viewer.type(.character("f"), .character("8"), .character("8"))
        #expect(ViewerLines.status(viewer.machine, nil, name: "a").text == "go to: f88   frame 88, 0:02.933")
        #expect(viewer.type(.enter) == [.scrub(88, isMoving: false)] && viewer.machine.prompt == nil)
        _ = viewer.type(.character("g"), .character("z"))
        #expect(viewer.type(.enter) == [] && viewer.machine.prompt != nil)
        #expect(ViewerLines.status(viewer.machine, nil, name: "a").text.contains("not a position"))
        #expect(viewer.type(.backspace, .backspace) == [] && viewer.machine.prompt == nil)
        #expect(viewer.machine.frame == 88)
    }

    @Test func `a line is cut, and hands no order on`() {
        var line = TerminalLine("a\u{1B}[2Jé\n", .bold)
        line.add("─second part")
        #expect(line.text == "a?[2J??─second part")
        let bytes = String(decoding: line.bytes(row: 4, columns: 11), as: UTF8.self)
        #expect(bytes == "\u{1B}[5;1H\u{1B}[0;1ma?[2J??\u{1B}[0;0m─se\u{1B}[0m\u{1B}[K")
        #expect(String(decoding: line.bytes(row: 0, columns: 0), as: UTF8.self) == "\u{1B}[1;1H\u{1B}[0m\u{1B}[K")
    }

    @Test func `the picture and what is said of it change at once`() {
        var picture = TerminalText.synchronized([1, 2])
        TerminalText.join([3], to: &picture)
        #expect(picture == TerminalText.synchronized([1, 2, 3]))
        var nothing: [UInt8] = []
        TerminalText.join([3], to: &nothing)
        #expect(nothing == [3])
    }
}
