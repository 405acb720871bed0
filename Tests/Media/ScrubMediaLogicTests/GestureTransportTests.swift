import ScrubBase
import ScrubMediaLogic
import Testing

/// The gesture and the transport together, as an application joins them.
@Suite struct GestureTransportTests {
    private let clock = ScrubTransport.ManualClock()
    private let width = Rational(1000)

    @Test(arguments: [true, false])
    func pausesForTheGestureAndGoesOnAfterIt(isPlaying: Bool) {
        let transport = ScrubTransport(duration: Rational(100), clock: clock)
        var gesture = ScrubGesture()
        if isPlaying { transport.play() } else { transport.seek(to: Rational(20)) }
        clock.advance(by: .seconds(20))

        transport.apply(gesture.began(at: transport.fraction, isPlaying: transport.isPlaying))
        #expect(!transport.isPlaying)
        for x: Int64 in 1...300 {
            clock.advance(by: .milliseconds(16))
            transport.apply(gesture.changed(translation: ScrubGestureTests.at(x), width: width))
            #expect(transport.currentTime == Rational(200 + x, 10))
        }
        clock.advance(by: .seconds(1))
        transport.apply(gesture.ended())
        #expect(transport.isPlaying == isPlaying)
        #expect(transport.currentTime == Rational(50))
        clock.advance(by: .seconds(3))
        #expect(transport.currentTime == Rational(isPlaying ? 53 : 50))
    }

    @Test func aCancelGoesBackAndPlaysOnFromThere() {
        let transport = ScrubTransport(duration: Rational(100), clock: clock)
        var gesture = ScrubGesture(options: .init(returnsOnCancel: true))
        transport.play()
        clock.advance(by: .milliseconds(33_333))
        transport.apply(gesture.began(at: transport.fraction, isPlaying: transport.isPlaying))
        transport.apply(gesture.changed(translation: ScrubGestureTests.at(-500), width: width))
        #expect(transport.currentTime == .zero)
        transport.apply(gesture.cancelled())
        clock.advance(by: .milliseconds(1))
        #expect(transport.currentTime == Rational(33_334, 1000))
    }

    @Test func aGestureToTheEndLeavesItEnded() {
        let transport = ScrubTransport(duration: Rational(100), clock: clock)
        var gesture = ScrubGesture()
        transport.play()
        transport.apply(gesture.began(at: transport.fraction, isPlaying: true))
        transport.apply(gesture.changed(translation: ScrubGestureTests.at(2000), width: width))
        transport.apply(gesture.ended())
        #expect(transport.state == .ended)
        #expect(transport.currentTime == Rational(100))
    }

    @Test func aKeptGestureIsAppliedWhenTheMediumIsReady() {
        let transport = ScrubTransport(duration: Rational(100), clock: clock)
        var gesture = ScrubGesture()
        transport.apply(gesture.began(at: nil, isPlaying: true))
        transport.apply(gesture.changed(translation: ScrubGestureTests.at(250), width: width))
        transport.apply(gesture.ended())
        #expect(!transport.isPlaying)
        transport.apply(gesture.becameReady(at: transport.fraction))
        clock.advance(by: .seconds(1))
        #expect(transport.now.time == Rational(26))
        #expect(transport.isPlaying)
    }
}
