import Foundation
import Scrub

/// A drag by the clock, over a session whose consumer keeps the pictures of its last updates.
struct KeptPicturesDrag {
    enum Gesture: String, CaseIterable { case drag, back, turning, jitter }

    /// What there is when the finger comes.
    enum Track: String, CaseIterable {
        /// All previews that have room.
        case full
        /// Half of the film's frames, the nearest ones to where the gesture begins; more are made while it is played.
        case half
        /// The same, and the gesture begins where these end.
        case edge
        case none
    }

    let path: String
    let asset: VideoAsset
    var gesture = Gesture.drag
    var track = Track.full
    /// Pictures that the consumer keeps.
    var keeps = 0
    /// Where the gesture begins, in thousandths of the film.
    var begin = 400
    /// How far it goes, in thousandths of the film.
    var distance = 60
    var seconds = 2.0

    private struct Shown: Sendable {
        var request: Int
        var frame: Int
        var stage: ScrubSession.Update.Stage
        var isRight: Bool
        var time: Double
    }

    private struct Seen: Sendable {
        var shown: [Shown] = []
        var pictures: [FramePicture] = []
        var mostHeld = 0
    }

    /// A frame of a display of 60 Hz.
    private static let displayFrame = 16.7

    private func events(from begin: Rational) -> [ScrubGesture.Script.Event] {
        let start = ScrubGesture.Script.Start(startFraction: begin, isPlaying: false)
        let ticks = max(4, Int((seconds * 60).rounded()))
        let script: ScrubGesture.Script =
            switch gesture {
            case .drag: .drag(by: distance, ticks: ticks, from: start)
            case .back: .drag(by: -distance, ticks: ticks, from: start)
            case .jitter: .jitter(reach: distance, ticks: ticks, from: start)
            case .turning: .drag(by: distance, ticks: ticks / 4, from: start)
            }
        let moves = script.events.filter { $0.phase == .changed }
        guard gesture == .turning, let leg = moves.last?.milliseconds else { return moves }
        // There, back, there and back again.
        return (0..<4).flatMap { turn in
            moves.indices.map { place in
                let source = moves[turn.isMultiple(of: 2) ? place : moves.count - 1 - place]
                return .init(
                    milliseconds: turn * leg + moves[place].milliseconds, phase: .changed,
                    translation: source.translation)
            }
        }
    }

    private func frame(_ fraction: Rational) throws -> Int {
        let clamped = min(max(fraction, .zero), .one)
        return try asset.presentedFrame(at: .fraction(clamped)).number
    }

    /// Prepares the track.
    ///
    /// - Returns: where the gesture begins.
    private func prepare(_ session: ScrubSession) throws -> Rational {
        let begin = Rational(Int64(begin), 1000)
        let frame = try frame(begin)
        switch track {
        case .none: return begin
        case .full:
            session.makePreviews(around: frame)
            return begin
        case .half, .edge:
            session.makePreviews(around: frame, upTo: asset.frames.count / 2)
        }
        guard track == .edge, session.previews != nil else { return begin }
        let way = gesture == .back ? -1 : 1
        var end = frame
        while asset.frames.indices.contains(end + way), session.hasPreview(ofFrame: end + way) { end += way }
        // Half of the gesture lies on this side.
        let half = way * distance * asset.frames.count / 2000
        let place = min(max(0, end - half), asset.frames.count - 1)
        return Rational(Int64(place * 1000 / asset.frames.count), 1000)
    }

    func run() throws -> [String: Any] {
        let resources = DecodingResources(byteLimit: 256 << 20)
        let session = try ScrubSession(asset, resources: resources)
        let begin = try prepare(session)
        let previews = session.previews
        let (made, bytes) = (previews?.frameCount ?? 0, previews?.byteCount ?? 0)
        let clock = ContinuousClock()
        let seen = Guarded(Seen())
        let keeps = keeps
        let start = clock.now
        let observation = session.observe { update in
            let time = (clock.now - start).milliseconds
            let isRight = update.stage == .exact || update.stage == .preview
            // Pictures that are let go wake the session, which must not happen under the lock.
            let old = seen.withLock { seen -> [FramePicture] in
                seen.shown.append(
                    Shown(
                        request: update.request, frame: update.frame.number, stage: update.stage, isRight: isRight,
                        time: time))
                if keeps > 0, let picture = update.picture { seen.pictures.append(picture) }
                defer { seen.pictures.removeFirst(max(0, seen.pictures.count - keeps)) }
                seen.mostHeld = max(seen.mostHeld, min(keeps, seen.pictures.count))
                return Array(seen.pictures.prefix(max(0, seen.pictures.count - keeps)))
            }
            withExtendedLifetime(old) {}
        }
        session.scrub(toFrame: try frame(begin), isMoving: false)
        var moves: [(request: Int, frame: Int, time: Double)] = []
        for event in events(from: begin) {
            let due = start + .milliseconds(event.milliseconds)
            Thread.sleep(forTimeInterval: max(0, (due - clock.now).milliseconds / 1000))
            let place = event.translation.x / Rational(1000) + begin
            let number = try frame(place)
            moves.append((moves.count + 2, number, (clock.now - start).milliseconds))
            session.scrub(toFrame: number, isMoving: true)
        }
        session.rest()
        let rest = waitForExact(moves.count + 1, seen)
        let mostHeldBytes = session.heldByteCount
        let shown = seen.withLock { $0.shown }
        let (held, awaited) = (seen.withLock { $0.mostHeld }, shown.filter { $0.stage == .awaitingMemory }.count)
        var afterRelease: Double?
        if rest == nil {
            let pictures = seen.withLock { seen in
                defer { seen.pictures = [] }
                return seen.pictures
            }
            let released = (clock.now - start).milliseconds
            withExtendedLifetime(pictures) {}
            afterRelease = waitForExact(moves.count + 1, seen).map { $0 - released }
        }
        observation.end()
        let right = rightCount(moves, shown)
        let alone = try aloneMilliseconds(moves.last?.frame ?? 0)
        return [
            "film": URL(filePath: path).lastPathComponent, "gesture": gesture.rawValue, "track": track.rawValue,
            "keeps": keeps, "moves": moves.count, "rightShown": right,
            "rightPercent": rounded(100 * Double(right) / Double(max(1, moves.count)), 2),
            "worstGapMs": rounded(session.counters.longestGap.milliseconds),
            "restMs": rest.map { rounded($0 - (moves.last?.time ?? 0)) } ?? NSNull(), "restAloneMs": rounded(alone),
            "restAfterReleaseMs": afterRelease.map { rounded($0) } ?? NSNull(), "heldPictures": held,
            "heldBytesAtRest": mostHeldBytes, "awaitingMemory": awaited, "peakBytes": resources.peakByteCount,
            "budgetBytes": 256 << 20, "isWithinBudget": resources.peakByteCount <= 256 << 20,
            "previewsBefore": made, "previewBytesBefore": bytes,
            "previewFrames": previews?.frameCount ?? 0, "frames": asset.frames.count,
        ]
    }

    /// Waits at most five seconds.
    ///
    /// - Returns: when the request's exact picture came; `nil` if it did not.
    private func waitForExact(_ request: Int, _ seen: Guarded<Seen>) -> Double? {
        for _ in 0..<5000 {
            let found = seen.withLock { $0.shown.last { $0.request >= request && $0.stage == .exact }?.time }
            if let found { return found }
            Thread.sleep(forTimeInterval: 0.001)
        }
        return nil
    }

    /// Moves whose frame was on screen before the display's next one, exact or as a preview.
    private func rightCount(_ moves: [(request: Int, frame: Int, time: Double)], _ shown: [Shown]) -> Int {
        var (right, place) = (0, 0)
        for move in moves {
            while place + 1 < shown.count, shown[place + 1].time <= move.time { place += 1 }
            let inTime = shown[min(place, shown.count)...].prefix { $0.time <= move.time + Self.displayFrame }
            if inTime.contains(where: { $0.isRight && $0.frame == move.frame }) { right += 1 }
        }
        return right
    }

    private func aloneMilliseconds(_ frame: Int) throws -> Double {
        var reader = FrameReader(asset)
        let clock = ContinuousClock()
        let start = clock.now
        _ = try reader.frame(numbered: frame)
        return (clock.now - start).milliseconds
    }
}
