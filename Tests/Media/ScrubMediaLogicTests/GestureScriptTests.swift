import ScrubBase
import ScrubMediaLogic
import Testing

@Suite struct GestureScriptTests {
    typealias Event = ScrubGesture.Script.Event

    private static func script(
        width: Rational = Rational(1000), begin: String = "0.40", _ events: [Event]
    ) -> ScrubGesture.Script {
        ScrubGesture.Script(width: width, startPosition: begin, isPlaying: true, events: events)
    }

    private static func event(_ milliseconds: Int, _ phase: ScrubGesture.Script.Phase) -> Event {
        Event(milliseconds: milliseconds, phase: phase)
    }

    private static let began = event(0, .began)

    @Test(
        arguments: [
            script([began]),
            script([began, event(16, .changed), event(900, .ended)]),
            script(begin: "f-1", [event(5, .began), event(5, .changed), event(5, .changed), event(5, .failed)]),
            script(width: Rational(1, 3), begin: "1:02.5", [began, event(.max, .cancelled)]),
        ])
    func goodScripts(script: ScrubGesture.Script) throws { try script.validate() }

    @Test(
        arguments: [
            (script(width: .zero, [began]), "width"),
            (script(width: Rational(-5), [began]), "width"),
            (script(begin: "", [began]), "begin"),
            (script(begin: "0,4", [began]), "begin"),
            (script([]), "events"),
            (script([event(0, .changed)]), "event 0"),
            (script([event(-1, .began)]), "event 0"),
            (script([began, event(-1, .changed)]), "event 1"),
            (script([began, event(16, .changed), event(15, .changed)]), "event 2"),
            (script([began, event(1, .began)]), "event 1"),
            (script([began, event(1, .ended), event(2, .changed)]), "event 2"),
            (script([began, event(1, .ended), event(2, .ended)]), "event 2"),
            (script([began, event(1, .failed), event(2, .began)]), "event 2"),
        ])
    func badScriptsNameThePlace(script: ScrubGesture.Script, place: String) {
        let error = #expect(throws: ScrubError.self) { try script.validate() }
        #expect(error?.code == .badData)
        #expect(error?.place?.description == place)
    }

    @Test func phasesHaveTheNamesOfTheContract() {
        #expect(
            ScrubGesture.Script.Phase.allCases.map(\.rawValue) == ["began", "changed", "ended", "cancelled", "failed"])
        #expect(ScrubGesture.Script.Phase.allCases.map(\.isEnd) == [false, false, true, true, true])
    }
}
