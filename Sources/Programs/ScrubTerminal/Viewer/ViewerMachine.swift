internal import ScrubPlayersLogic
internal import ScrubBase
internal import ScrubMedia
internal import ScrubMediaLogic

/// The effects of keys, the mouse and the clock on the viewer in the terminal.
///
/// Pure except for its clock: the results are effects, which ``TerminalScrubber`` carries out. A value type, used by
/// one thread.
struct ViewerMachine {
    /// An effect to carry out.
    enum Effect: Hashable {
        /// A frame is requested.
        case scrub(Int, isMoving: Bool)
        /// The movement has come to rest.
        case rest
        /// Forward by this many films.
        case item(Int)
        case redraw, suspend, quit
    }

    /// The positions of the screen's parts, in cells.
    struct Area: Hashable {
        var columns: Int
        /// The row of the timeline; pictures are above it.
        var barRow: Int
        /// The width of the picture: a drag across it covers the whole film.
        var pictureColumns: Int
        var cell: TerminalSize.Pixels
    }

    private struct Drag: Hashable {
        var column: Int
        var row: Int
        var isOnBar: Bool
        var beginFrame: Int
    }

    /// The time without a new position after which the movement is at rest.
    static let restTime: Int64 = 100_000_000
    private static let fastest: Rational = 8

    let asset: VideoAsset
    private let transport: ScrubTransport
    private let clock: any ScrubTransport.Clock
    private var gesture = ScrubGesture(options: .init(returnsOnCancel: true, fineSpeeds: ScrubGesture.FineSpeed.phone))
    private var drag: Drag?
    private var restAt: Int64?
    /// The requested frame.
    private(set) var frame: Int
    private(set) var prompt: ViewerPrompt?
    /// The failure, until the next action.
    var message: String?
    var showsHelp = false
    /// The number of frames whose time passed while others were shown, since playback began.
    private(set) var skippedCount = 0
    /// The part of the movement that counts, if not all of it does.
    private(set) var fineFactor: Rational?
    private var keys: (columns: Int, places: Set<Int>)?

    /// - Precondition: the video has frames, and this is one of them.
    init(_ asset: VideoAsset, frame: Int = 0, clock: any ScrubTransport.Clock = ScrubTransport.SystemClock()) {
        precondition(
            asset.frames.indices.contains(frame),
            "there is no frame \(frame): use a number in frames.indices, 0..<\(asset.frames.count)")
        (self.asset, self.clock, self.frame) = (asset, clock, frame)
        transport = ScrubTransport(duration: asset.duration, clock: clock)
        transport.seek(to: asset.frames[frame].time)
        keys = nil
    }

    var isPlaying: Bool { transport.isPlaying }
    var rate: Rational { transport.rate }
    var isDragging: Bool { drag != nil }

    // MARK: Input

    mutating func take(_ input: TerminalInput, in area: Area) -> [Effect] {
        switch input {
        case .key(let key): return take(key)
        case .mouse(let mouse):
            if showsHelp {
                guard mouse.action == .press else { return [] }
                showsHelp = false
                return [.redraw]
            }
            return take(mouse, area)
        case .closed: return [.quit]
        }
    }

    private mutating func take(_ key: TerminalKey) -> [Effect] {
        if showsHelp {
            showsHelp = false
            if key.code == .character("c"), key.modifiers == .control { return [.quit] }
            return [.redraw]
        }
        message = nil
        if var typed = prompt {
            let outcome = typed.take(key, asset)
            prompt = outcome == .typing ? typed : nil
            if case .chosen(let number) = outcome { return go(to: number, isMoving: false) }
            return []
        }
        guard let command = TerminalViewCommand(key) else { return [] }
        return perform(command)
    }

    private mutating func perform(_ command: TerminalViewCommand) -> [Effect] {
        switch command {
        case .step(let count): return go(to: ScrubGesture.step(from: frame, by: count, frameCount: asset.frames.count))
        case .skip(let seconds, let least): return skip(seconds: seconds, atLeast: least)
        case .keyPicture(let direction): return go(to: keyPicture(direction))
        case .first: return go(to: 0, isMoving: false)
        case .last: return go(to: asset.frames.count - 1, isMoving: false)
        case .tenths(let count): return go(to: number(at: .fraction(Rational(Int64(count), 10))), isMoving: false)
        case .togglePlay:
            if transport.isPlaying { return stop() }
            transport.rate = .one
            return play()
        case .stop: return stop()
        case .shuttle(let direction):
            let sign: Rational = direction == .forward ? .one : -.one
            let isSame = transport.isPlaying && (transport.rate < .zero) == (sign < .zero)
            transport.rate = isSame ? max(-ViewerMachine.fastest, min(ViewerMachine.fastest, transport.rate * 2)) : sign
            return isSame ? [] : play()
        case .goTo(let text):
            let effects = stop()
            prompt = ViewerPrompt(text)
            return effects
        case .item(let step): return [.item(step)]
        case .help:
            showsHelp = true
            return [.redraw]
        case .redraw: return [.redraw]
        case .suspend: return stop() + [.suspend]
        case .back: return drag == nil ? [.quit] : cancelDrag()
        case .quit: return [.quit]
        }
    }

    // MARK: Navigation

    private func number(at position: FramePosition) -> Int {
        (try? asset.presentedFrame(nearest: position).number) ?? frame
    }

    /// Goes to a frame, which ends playback.
    private mutating func go(to number: Int, isMoving: Bool = true) -> [Effect] {
        transport.pause()
        transport.seek(to: asset.frames[number].time)
        skippedCount = 0
        return want(number, isMoving: isMoving)
    }

    private mutating func want(_ number: Int, isMoving: Bool) -> [Effect] {
        restAt = isMoving ? clock.nanoseconds + ViewerMachine.restTime : nil
        guard number != frame else { return isMoving ? [] : [.rest] }
        frame = number
        return [.scrub(number, isMoving: isMoving)]
    }

    private mutating func skip(seconds: Int, atLeast least: Int) -> [Effect] {
        let time = asset.frames[frame].time.adding(Rational(Int64(seconds))) ?? .zero
        let there = number(at: .time(max(.zero, min(asset.duration, time))))
        guard abs(there - frame) < least else { return go(to: there) }
        let count = seconds < 0 ? -least : least
        return go(to: ScrubGesture.step(from: frame, by: count, frameCount: asset.frames.count))
    }

    private func keyPicture(_ direction: Int) -> Int {
        var number = frame + direction
        while asset.frames.indices.contains(number) {
            if asset.frames[number].isKeyframe { return number }
            number += direction
        }
        return direction < 0 ? 0 : frame
    }

    // MARK: Playing

    private mutating func play() -> [Effect] {
        skippedCount = 0
        transport.play()
        return tick()
    }

    private mutating func stop() -> [Effect] {
        guard transport.isPlaying else { return [] }
        transport.pause()
        return [.rest]
    }

    /// Looks at the clock.
    mutating func tick() -> [Effect] {
        var effects: [Effect] = []
        if let time = restAt, clock.nanoseconds >= time {
            restAt = nil
            effects.append(.rest)
        }
        guard hasPlayed || transport.isPlaying else { return effects }
        let moment = transport.now
        hasPlayed = moment.state == .playing
        let there = number(at: .time(moment.time))
        if there != frame {
            // At higher speeds, skipping is expected.
            if transport.rate.magnitude <= .one { skippedCount += max(0, abs(there - frame) - 1) }
            frame = there
            effects.append(.scrub(there, isMoving: hasPlayed))
        } else if !hasPlayed {
            effects.append(.rest)
        }
        return effects
    }
    private var hasPlayed = false

    /// The nanoseconds until the next check; `nil` if there is none.
    var wait: Int64? {
        let wait = restAt.map { max(0, $0 - clock.nanoseconds) }
        guard transport.isPlaying else { return wait }
        let (time, rate) = (transport.currentTime.doubleValue, transport.rate.doubleValue)
        let border =
            rate > 0 ? asset.frames[frame].seconds + asset.frames[frame].durationSeconds : asset.frames[frame].seconds
        let seconds = max(0.001, min(0.1, (border - time) / rate + 0.0002))
        return min(wait ?? .max, Int64(seconds * 1e9))
    }

    // MARK: The mouse

    private mutating func take(_ mouse: TerminalMouse, _ area: Area) -> [Effect] {
        switch mouse.action {
        case .press:
            guard mouse.button == 0, drag == nil, mouse.row <= area.barRow else { return [] }
            (message, prompt) = (nil, nil)
            let isOnBar = mouse.row == area.barRow
            drag = Drag(column: mouse.column, row: mouse.row, isOnBar: isOnBar, beginFrame: frame)
            skippedCount = 0
            let actions = gesture.began(at: transport.fraction, isPlaying: transport.isPlaying)
            transport.apply(actions)
            return isOnBar ? goOnBar(mouse, area) : []
        case .drag:
            guard let drag else { return [] }
            return drag.isOnBar ? goOnBar(mouse, area) : pan(mouse, drag, area)
        case .release:
            guard drag != nil else { return [] }
            (drag, fineFactor, restAt) = (nil, nil, nil)
            transport.apply(gesture.ended())
            return [.rest]
        case .scrollUp: return perform(.step(-1))
        case .scrollDown: return perform(.step(1))
        case .move: return []
        }
    }

    /// Returns the library's gesture: where it began, plus the movement over the picture's width.
    private mutating func pan(_ mouse: TerminalMouse, _ drag: Drag, _ area: Area) -> [Effect] {
        let x = Rational(Int64((mouse.column - drag.column) * area.cell.width))
        let y = Rational(Int64((mouse.row - drag.row) * area.cell.height))
        let width = Rational(Int64(max(1, area.pictureColumns) * area.cell.width))
        let reached = ScrubGesture.FineSpeed.phone.filter { $0.distance <= y.magnitude }
        fineFactor = reached.max { $0.distance < $1.distance }?.factor
        let actions = gesture.changed(translation: .init(x: x, y: y), width: width)
        transport.apply(actions)
        guard let target = actions.target else { return [] }
        return want(number(at: .fraction(target)), isMoving: true)
    }

    private mutating func goOnBar(_ mouse: TerminalMouse, _ area: Area) -> [Effect] {
        let last = max(1, area.columns - 2)
        let number = number(at: .fraction(Rational(Int64(max(0, min(last, mouse.column))), Int64(last))))
        transport.seek(to: asset.frames[number].time)
        return want(number, isMoving: true)
    }

    private mutating func cancelDrag() -> [Effect] {
        let begin = drag?.beginFrame ?? frame
        (drag, fineFactor) = (nil, nil)
        transport.apply(gesture.cancelled())
        transport.seek(to: asset.frames[begin].time)
        return want(begin, isMoving: false)
    }

    // MARK: The timeline

    /// Returns the column of a frame in a line with this many columns.
    func column(ofFrame number: Int, columns: Int) -> Int {
        let (last, count) = (max(1, asset.frames.count - 1), max(1, columns - 1))
        // By time, like the mouse; the last frame is at the end.
        guard number < last else { return asset.frames.count > 1 ? count : 0 }
        return min(count, Int(clamping: asset.fraction(ofFrame: number).scaledDown(Int64(count))))
    }

    /// Returns the columns of key pictures; none if they are closer than four columns.
    func keyColumns(columns: Int) -> Set<Int> {
        if let keys, keys.columns == columns { return keys.places }
        return []
    }

    /// Finds the key pictures' columns, once for each width.
    mutating func measure(columns: Int) {
        guard keys?.columns != columns else { return }
        var (places, count): (Set<Int>, Int) = ([], 0)
        for frame in asset.frames where frame.isKeyframe {
            count += 1
            guard count * 4 <= columns else {
                places = []
                break
            }
            places.insert(column(ofFrame: frame.number, columns: columns))
        }
        keys = (columns, places)
    }
}
