import ScrubBase
import ScrubMediaLogic
import ScrubTestSupport
import Testing

/// Beginnings, ends, waiting, and calls at the wrong time.
@Suite struct ScrubGesturePhaseTests {
    typealias Actions = ScrubGesture.Actions

    enum End: CaseIterable, Sendable {
        case ended, cancelled, failed

        func apply(to gesture: inout ScrubGesture) -> Actions {
            switch self {
            case .ended: gesture.ended()
            case .cancelled: gesture.cancelled()
            case .failed: gesture.failed()
            }
        }
    }

    private let begin = Rational(2, 5)
    private let width = Rational(1000)
    private func at(_ x: Int64) -> ScrubGesture.Translation { ScrubGestureTests.at(x) }

    @Test(arguments: End.allCases, [(true, true), (true, false), (false, true), (false, false)])
    func everyEndRestoresTheTransport(end: End, flags: (isPlaying: Bool, returns: Bool)) {
        var gesture = ScrubGesture(options: .init(returnsOnCancel: flags.returns))
        let start = gesture.began(at: begin, isPlaying: flags.isPlaying)
        #expect(start == Actions(transport: flags.isPlaying ? .pause : nil))
        #expect(gesture.phase == .active)
        #expect(gesture.changed(translation: at(100), width: width) == Actions(target: Self.half))
        let target = flags.returns && end != .ended ? begin : nil
        #expect(end.apply(to: &gesture) == Actions(target: target, transport: flags.isPlaying ? .resume : nil))
        #expect(gesture == ScrubGesture(options: gesture.options))
    }

    private static let half = Rational(1, 2)

    @Test(arguments: End.allCases)
    func callsInTheWrongPhaseDoNothing(end: End) {
        var gesture = ScrubGesture(options: .init(returnsOnCancel: true))
        let idle = gesture
        #expect(gesture.changed(translation: at(5), width: width) == .none)
        #expect(gesture.becameReady(at: begin) == .none)
        #expect(end.apply(to: &gesture) == .none)
        #expect(gesture == idle)

        _ = gesture.began(at: begin, isPlaying: true)
        let active = gesture
        #expect(gesture.began(at: .one, isPlaying: false) == .none)
        #expect(gesture.becameReady(at: .one) == .none)
        #expect(gesture == active)

        #expect(end.apply(to: &gesture).transport == .resume)
        #expect(end.apply(to: &gesture) == .none)
        #expect(gesture.changed(translation: at(5), width: width) == .none)
        #expect(gesture == idle)
    }

    @Test func aGestureBeforeTheMediumIsReadyIsApplied() {
        var gesture = ScrubGesture()
        #expect(gesture.began(at: nil, isPlaying: true) == Actions(transport: .pause))
        #expect(gesture.phase == .waiting)
        #expect(gesture.began(at: begin, isPlaying: true) == .none)
        #expect(gesture.changed(translation: at(10), width: width) == .none)
        #expect(gesture.changed(translation: at(100), width: width) == .none)
        #expect(gesture.becameReady(at: begin) == Actions(target: Rational(1, 2)))
        #expect(gesture.phase == .active)
        #expect(gesture.changed(translation: at(200), width: width) == Actions(target: Rational(3, 5)))
        #expect(gesture.ended() == Actions(transport: .resume))
    }

    @Test(arguments: End.allCases, [true, false])
    func aGestureThatEndsBeforeTheMediumIsReadyIsAppliedToo(end: End, isPlaying: Bool) {
        var gesture = ScrubGesture()
        _ = gesture.began(at: nil, isPlaying: isPlaying)
        _ = gesture.changed(translation: at(100), width: width)
        #expect(end.apply(to: &gesture) == .none)
        #expect(gesture.phase == .waiting)
        // Over is over.
        #expect(gesture.changed(translation: at(300), width: width) == .none)
        #expect(end.apply(to: &gesture) == .none)
        let expected = Actions(target: Rational(1, 2), transport: isPlaying ? .resume : nil)
        #expect(gesture.becameReady(at: begin) == expected)
        #expect(gesture.phase == .idle)
        #expect(gesture.becameReady(at: begin) == .none)
    }

    @Test(arguments: [End.cancelled, .failed])
    func aGestureCancelledBeforeTheMediumIsReadyIsForgotten(end: End) {
        var gesture = ScrubGesture(options: .init(returnsOnCancel: true))
        _ = gesture.began(at: nil, isPlaying: true)
        _ = gesture.changed(translation: at(100), width: width)
        #expect(end.apply(to: &gesture) == Actions(transport: .resume))
        #expect(gesture.becameReady(at: begin) == .none)
    }

    @Test func aKeptGestureWithoutMovementGoesNowhere() {
        var gesture = ScrubGesture()
        _ = gesture.began(at: nil, isPlaying: true)
        #expect(gesture.ended() == .none)
        #expect(gesture.becameReady(at: begin) == Actions(transport: .resume))
    }

    /// The transport is paused by then because of the first gesture; the second one has to let it go on.
    @Test(arguments: [nil, Rational(1, 10)] as [Rational?])
    func aNewGestureTakesThePlaceOfAKeptOne(second: Rational?) {
        var gesture = ScrubGesture()
        _ = gesture.began(at: nil, isPlaying: true)
        _ = gesture.changed(translation: at(300), width: width)
        _ = gesture.ended()
        #expect(gesture.began(at: second, isPlaying: false) == .none)
        let shown = gesture.changed(translation: at(100), width: width)
        let target = Actions(target: Rational(1, 5))
        #expect(shown == (second == nil ? .none : target))
        #expect(gesture.becameReady(at: Rational(1, 10)) == (second == nil ? target : .none))
        #expect(gesture.ended() == Actions(transport: .resume))
    }

    /// Whenever the medium becomes ready, the finger's place stands for the same picture.
    @Test(arguments: 0..<30)
    func waitingChangesNothing(seed: UInt64) {
        var random = SplitMix(seed)
        let options = ScrubGesture.Options(fineSpeeds: ScrubGesture.FineSpeed.phone)
        var (prompt, late) = (ScrubGesture(options: options), ScrubGesture(options: options))
        _ = prompt.began(at: begin, isPlaying: true)
        _ = late.began(at: nil, isPlaying: true)
        let ready = Int.random(in: 0..<40, using: &random)
        for i in 0..<40 {
            let step = ScrubGestureTests.at(
                .random(in: -1500...1500, using: &random), .random(in: -200...200, using: &random))
            let width = Rational(.random(in: 500...1500, using: &random))
            let target = prompt.changed(translation: step, width: width)
            let lateTarget = late.changed(translation: step, width: width)
            #expect(lateTarget == (i > ready ? target : .none))
            if i == ready { #expect(late.becameReady(at: begin) == target) }
        }
        #expect(prompt == late)
    }
}
