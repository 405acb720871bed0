public import ScrubBase

/// The logic of a pan over a video. It receives events, and returns positions to show and transport actions.
///
/// A recognizer calls ``shouldBegin(translation:)``, then ``began(at:isPlaying:)``,
/// ``changed(translation:width:)-(_,Rational)`` for each movement, and finally ``ended()``, ``cancelled()`` or
/// ``failed()``. Each call returns ``Actions`` for the caller to carry out. Fractions are exact ratios of integers:
/// begin + x / width, clamped to 0...1. Calls in the wrong phase, such as a movement before the gesture has begun or a
/// second end, have no effect.
///
/// A gesture that begins before the medium is ready is held back. ``becameReady(at:)`` then applies it, even if the
/// finger has already been lifted.
///
/// Thread safety: a value type without a clock, timer or queue.
public struct ScrubGesture: Hashable, Sendable {
    private enum Stage: Hashable {
        case idle
        /// Waiting, with the relevant steps, one per speed, so that the result is the same as without waiting.
        case waiting(kept: [DragPath.Step], hasEnded: Bool)
        case active(DragPath)
    }

    /// The options of the gesture. A change during a gesture takes effect with the next event.
    public var options: Options
    private var stage = Stage.idle
    /// Whether playback was paused for the gesture and must resume after it.
    private var owesResume = false

    /// Creates the logic for one view. It handles one gesture at a time.
    public init(options: Options = Options()) { self.options = options }

    /// The phase of the gesture.
    public var phase: Phase {
        switch stage {
        case .idle: .idle
        case .waiting: .waiting
        case .active: .active
        }
    }

    /// Handles the start of a pan.
    ///
    /// A new gesture replaces a waiting one whose finger has been lifted. If the replaced gesture was going to resume
    /// playback, the new one resumes it instead.
    ///
    /// - Parameters:
    ///   - begin: the playhead as a fraction of the duration, clamped to 0...1; `nil` while the medium is not ready.
    ///   - isPlaying: whether the transport is playing or would play if the medium were ready. Default false.
    /// - Returns: a pause action if the medium was playing.
    public mutating func began(at begin: Rational?, isPlaying: Bool = false) -> Actions {
        switch stage {
        case .idle: owesResume = isPlaying
        case .waiting(_, hasEnded: true): owesResume = owesResume || isPlaying
        case .waiting, .active: return .none
        }
        stage = begin.map { .active(DragPath(begin: $0)) } ?? .waiting(kept: [], hasEnded: false)
        return Actions(transport: isPlaying ? .pause : nil)
    }

    /// Handles a movement of the finger.
    ///
    /// With ``Options/fineSpeeds``, a movement is scaled by the speed that applies where it ends. Values that do not
    /// fit in 64-bit ratios are rounded to a millionth of a point.
    ///
    /// - Parameters:
    ///   - translation: the offset from the start of the gesture.
    ///   - width: the width in points that represents the whole duration. A width of 0 or less has no effect. A literal
    ///     such as `width: 320` selects the method that takes `Double`.
    /// - Returns: the position to show, or `nil` while the medium is not ready.
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
            // Only the last step at a speed determines where the next speed begins.
            if kept.last?.speed == step.speed { kept.removeLast() }
            kept.append(step)
            stage = .waiting(kept: kept, hasEnded: false)
            return .none
        case .idle, .waiting: return .none
        }
    }

    /// Handles a movement of the finger over a view that is `width` points wide. The width is rounded to 1/1024 point.
    public mutating func changed(translation: Translation, width: Double) -> Actions {
        changed(translation: translation, width: Rational(points: width))
    }

    /// Handles the medium becoming ready by applying the held events.
    ///
    /// - Parameter begin: the playhead as a fraction of the duration, clamped to 0...1.
    /// - Returns: the position that the finger has reached. The actions also resume playback if the gesture has ended
    ///   and the medium was playing.
    public mutating func becameReady(at begin: Rational) -> Actions {
        guard case .waiting(let kept, let hasEnded) = stage else { return .none }
        var path = DragPath(begin: begin)
        var target: Rational?
        for step in kept { target = path.move(to: step) }
        stage = .active(path)
        return hasEnded ? finish(target: target) : Actions(target: target)
    }

    /// Handles the end of the touch. If the medium was playing, playback resumes from where the last seek landed.
    public mutating func ended() -> Actions { end(returns: false) }

    /// Handles a gesture that the system cancelled. The gesture ends as with ``ended()``, or returns to its starting
    /// position if ``Options/returnsOnCancel`` is true.
    public mutating func cancelled() -> Actions { end(returns: options.returnsOnCancel) }

    /// Handles a movement that turned out not to be a pan, in the same way as ``cancelled()``.
    public mutating func failed() -> Actions { end(returns: options.returnsOnCancel) }

    private mutating func end(returns: Bool) -> Actions {
        switch stage {
        case .active(let path): return finish(target: returns ? path.begin : nil)
        // No position has been shown, so there is nothing to return from.
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
