#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

/// A video that C has opened, and what reads its frames.
///
/// Single frames come from a ``FrameService``, which decodes ahead while the caller's thread converts pixels. Several
/// at once come from a ``FrameReader``, group by group, on the caller's thread. No task of Swift's is made, so nothing
/// here waits for threads that a caller shares.
///
/// Thread safety: calls wait for each other, except ``cancel()``.
final class OpenVideo: Sendable {
    /// What one call at a time has. It takes it from its place, and puts it back.
    ///
    /// `@unchecked Sendable`: touched only by the call that has it.
    private final class Seat: @unchecked Sendable {
        var reader: FrameReader?
    }

    /// The calls under way, and the one that frames are decoded for.
    private struct Calls {
        /// Raised with every cancellation: a call that began before it ends.
        var cancellations = 0
        var isClosed = false
        /// Ends the request that waits for the service's thread.
        var leave: (@Sendable () -> Void)?
    }

    let asset: VideoAsset
    private let options: FrameReader.Options
    private let service: FrameService
    private let turn = Handover<Seat>(capacity: 1)
    private let calls = Locked(Calls())
    private let knownRising = Locked<Bool?>(nil)

    /// - Parameter options: their bytes are those of all pictures that are kept, of single frames and of several.
    init(_ asset: VideoAsset, _ options: FrameReader.Options) throws(ScrubError) {
        var (near, several) = (options, options)
        near.cacheByteLimit = min(options.cacheByteLimit / 2, FrameService.usefulCacheByteCount(for: asset))
        several.cacheByteLimit -= near.cacheByteLimit
        (self.asset, self.options) = (asset, several)
        service = try FrameService(asset, options: near)
        turn.push(Seat())
    }

    /// Ends calls that are under way.
    func cancel() {
        let leave = calls.withLock { calls in
            calls.cancellations += 1
            return calls.leave
        }
        leave?()
    }

    /// Ends calls that are under way, and all later ones of threads that have the handle still.
    func close() {
        calls.withLock { $0.isClosed = true }
        cancel()
    }

    /// Runs a call alone. Work on this thread that asks ends with ``cancel()``.
    func alone(_ body: () throws -> Void) throws { try inTurn { _, _ in try body() } }

    private func inTurn(_ body: (Seat, _ isOver: @escaping @Sendable () -> Bool) throws -> Void) throws {
        let begun = calls.withLock { $0.cancellations }
        let isOver: @Sendable () -> Bool = { [calls] in
            calls.withLock { $0.isClosed || $0.cancellations != begun }
        }
        guard let seat = turn.pop() else { throw CallCancelled() }
        defer { turn.push(seat) }
        if isOver() { throw CallCancelled() }
        do {
            try WorkCancellation.withValue(isOver) { try body(seat, isOver) }
        } catch is CancellationError {
            throw CallCancelled()
        } catch {
            // Work that was ended between two packets says so in words of its own.
            throw isOver() ? CallCancelled() : error
        }
    }

    /// Hands over one frame.
    func frame(_ number: Int, _ body: (FrameAnswer) throws -> Void) throws {
        try inTurn { _, isOver in
            defer { calls.withLock { $0.leave = nil } }
            let answer = try service.frame(numbered: number) { leave in
                calls.withLock { $0.leave = leave }
                // A cancellation that came before there was anything to leave.
                if isOver() { leave() }
            }
            try body(answer)
        }
    }

    /// Hands over several frames, each once, as they are decoded.
    func frames(_ numbers: [Int], _ body: (FrameAnswer) throws -> Void) throws {
        try inTurn { seat, _ in
            if seat.reader == nil { seat.reader = FrameReader(asset, options: options) }
            try seat.reader?.frames(numbered: numbers) { answer in
                try WorkCancellation.check()
                try body(answer)
            }
        }
    }

    /// Whether the container's times rise with the frames' numbers: not where a recording begins again, or its times
    /// are wrong and the order is the decoder's. Looked at once.
    var hasRisingTimes: Bool {
        if let known = knownRising.withLock({ $0 }) { return known }
        let frames = asset.frames
        let isRising = zip(frames, frames.dropFirst()).allSatisfy { $0.presentationTime <= $1.presentationTime }
        knownRising.withLock { $0 = isRising }
        return isRising
    }

    /// The number of a frame that exists.
    func number(_ frame: Int64) throws(ScrubError) -> Int {
        guard let number = Int(exactly: frame), asset.frames.indices.contains(number) else {
            throw ScrubError(
                .usage, "there is no frame \(frame)", file: asset.path,
                advice: "its frames are 0 to \(asset.frames.count - 1)")
        }
        return number
    }
}

/// The videos that are open, by handle.
///
/// A handle is a number that is never used again and not an address, so a closed one is told from an open one.
enum Handles {
    private struct Table {
        var videos: [UInt: OpenVideo] = [:]
        var next: UInt = 1
    }

    private static let table = Locked(Table())

    static func add(_ video: OpenVideo) -> OpaquePointer? {
        let handle = table.withLock { table in
            defer { table.next += 1 }
            table.videos[table.next] = video
            return table.next
        }
        return unsafe OpaquePointer(bitPattern: handle)
    }

    static func video(_ handle: OpaquePointer?) throws(ScrubError) -> OpenVideo {
        guard let handle = unsafe handle else { throw .null("the video") }
        let key = UInt(bitPattern: handle)
        guard let video = table.withLock({ $0.videos[key] }) else {
            throw ScrubError(.usage, "the video is closed", advice: "open it again")
        }
        return video
    }

    static func remove(_ handle: OpaquePointer?) -> OpenVideo? {
        guard let handle = unsafe handle else { return nil }
        let key = UInt(bitPattern: handle)
        return table.withLock { $0.videos.removeValue(forKey: key) }
    }
}

@c @implementation func scrub_close(_ video: OpaquePointer?) {
    // In a forked child nothing is touched, and nothing waits.
    guard (try? ForkWatch.check()) != nil else { return }
    unsafe Handles.remove(video)?.close()
}

@c @implementation func scrub_cancel(_ video: OpaquePointer?) {
    guard (try? ForkWatch.check()) != nil else { return }
    unsafe (try? Handles.video(video))?.cancel()
}
#endif
