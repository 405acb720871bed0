public import ScrubBase

/// The logic of a pan over a video: events go in; places to show and actions for the transport come out.
///
/// A recogniser calls ``shouldBegin(translation:)``, then ``began(at:isPlaying:)``,
/// ``changed(translation:width:)-(_,Rational)`` for each movement and one of ``ended()``, ``cancelled()``,
/// ``failed()``. Each gives ``Actions`` for the caller to carry out. Fractions are exact: begin + x / width within
/// 0...1, as a ratio of integers. Calls in the wrong phase, such as a movement before the beginning or a second end, do
/// nothing.
///
/// A gesture that begins before the medium is ready is kept: ``becameReady(at:)`` applies it, also when the finger is
/// up again by then.
///
/// Thread safety: a value; no clock, no timer, no queue.
public struct ScrubGesture: Hashable, Sendable {
    private enum Stage: Hashable {
        case idle
        /// The steps that matter, one for each speed, so that the result is the same as at once.
        case waiting(kept: [DragPath.Step], hasEnded: Bool)
        case active(DragPath)
    }

    /// The options of the gesture. A change during a gesture holds from the next event on.
    public var options: Options
    private var stage = Stage.idle
    /// Whether playback was stopped for the gesture and has to go on after it.
    private var owesResume = false

    /// Makes the logic for one view; gestures follow one another.
    public init(options: Options = Options()) { self.options = options }

    /// The phase of the gesture.
    public var phase: Phase {
        switch stage {
        case .idle: .idle
        case .waiting: .waiting
        case .active: .active
        }
    }

    /// The finger starts to pan.
    ///
    /// A new gesture takes the place of a kept one whose finger is up, and with it the duty to let playback go on.
    ///
    /// - Parameters:
    ///   - begin: the playhead as a fraction of the duration, cut to 0...1; `nil` while the medium is not ready.
    ///   - isPlaying: whether the transport plays or would play if the medium were ready.
    /// - Returns: a pause when it was playing.
    public mutating func began(at begin: Rational?, isPlaying: Bool) -> Actions {
        switch stage {
        case .idle: owesResume = isPlaying
        case .waiting(_, hasEnded: true): owesResume = owesResume || isPlaying
        case .waiting, .active: return .none
        }
        stage = begin.map { .active(DragPath(begin: $0)) } ?? .waiting(kept: [], hasEnded: false)
        return Actions(transport: isPlaying ? .pause : nil)
    }

    /// The finger has moved.
    ///
    /// With ``Options/fineSpeeds`` a movement counts at the speed of the place where it arrives. Values too unwieldy
    /// for 64-bit ratios are rounded to a millionth of a point.
    ///
    /// - Parameters:
    ///   - translation: from where the gesture began.
    ///   - width: points that stand for the whole duration. Without an extent (0 or less) nothing happens.
    /// - Returns: the place to show, or `nil` while the medium is not ready.
    /// A number that is written out, such as `width: 320`, takes the one with `Double`.
    @_disfavoredOverload
    public mutating func changed(translation: Translation, width: Rational) -> Actions {
        guard width > .zero else { return .none }
        let step = DragPath.Step(x: translation.x, width: width, speed: options.speed(at: translation.y))
        switch stage {
        case .active(var path):
            let target = path.move(to: step)
            stage = .active(path)
            return Actions(target: target)
        case .waiting(var kept, hasEnded: false):
            // Only the last step at a speed decides where the next speed begins.
            if kept.last?.speed == step.speed { kept.removeLast() }
            kept.append(step)
            stage = .waiting(kept: kept, hasEnded: false)
            return .none
        case .idle, .waiting: return .none
        }
    }

    /// The finger has moved over a view `width` points wide, rounded to 1/1024 point.
    public mutating func changed(translation: Translation, width: Double) -> Actions {
        changed(translation: translation, width: Rational(points: width))
    }

    /// Notes that the medium has become ready: kept steps are applied.
    ///
    /// - Parameter begin: the playhead as a fraction of the duration, cut to 0...1.
    /// - Returns: the place the finger has reached; playback resumed if the gesture is over and it was playing.
    public mutating func becameReady(at begin: Rational) -> Actions {
        guard case .waiting(let kept, let hasEnded) = stage else { return .none }
        var path = DragPath(begin: begin)
        var target: Rational?
        for step in kept { target = path.move(to: step) }
        stage = .active(path)
        return hasEnded ? finish(target: target) : Actions(target: target)
    }

    /// The finger is up: playback goes on from where the last seek landed if it was playing.
    public mutating func ended() -> Actions { end(returns: false) }

    /// The system took the gesture away; as ``ended()``, or back to the beginning with ``Options/returnsOnCancel``.
    public mutating func cancelled() -> Actions { end(returns: options.returnsOnCancel) }

    /// The movement was no pan after all; as ``cancelled()``.
    public mutating func failed() -> Actions { end(returns: options.returnsOnCancel) }

    private mutating func end(returns: Bool) -> Actions {
        switch stage {
        case .active(let path): return finish(target: returns ? path.begin : nil)
        // Nothing has been shown, so there is nothing to go back from.
        case .waiting(_, hasEnded: false) where returns: return finish(target: nil)
        case .waiting(let kept, hasEnded: false):
            stage = .waiting(kept: kept, hasEnded: true)
            return .none
        case .idle, .waiting: return .none
        }
    }

    private mutating func finish(target: Rational?) -> Actions {
        defer { (stage, owesResume) = (.idle, false) }
        return Actions(target: target, transport: owesResume ? .resume : nil)
    }
}
