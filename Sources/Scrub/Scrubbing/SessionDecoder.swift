internal import FileIO
internal import LibAV
internal import ScrubDecoding
internal import ScrubIndex

/// A session's pictures from the exact-seek engine.
struct SessionDecoder: PictureSource {
    private let engine: FrameEngine
    private let index: FrameIndex
    private let out = Out()
    private var search: FrameSearch?
    private var canPrepare = false

    /// Pictures that came out of the engine during a step. Only the session's thread touches it.
    private final class Out {
        var pictures: [(frame: Int, image: SharedFrame)] = []
        var isListening = false
    }

    init(_ engine: FrameEngine, _ index: FrameIndex) {
        (self.engine, self.index) = (engine, index)
        let out = out
        engine.watcher = { (picture, frame) in
            guard out.isListening, let number = index.frame(ofPicture: picture) else { return }
            out.pictures.append((number, frame))
        }
    }

    mutating func begin(_ frame: Int) throws(ScrubError) {
        canPrepare = true
        search = try engine.start(frame: frame)
    }

    mutating func step(
        _ deliver: (Int, SharedFrame) -> Void
    ) throws(ScrubError) -> SourceAnswer<SharedFrame>? {
        guard let search else { preconditionFailure("nothing was begun") }
        out.isListening = true
        defer {
            out.isListening = false
            out.pictures = []
        }
        let answer = try engine.step(search)
        for (frame, image) in out.pictures where frame != search.number { deliver(frame, image) }
        guard let answer else { return nil }
        self.search = nil
        return SourceAnswer(image: answer.frame, verdict: answer.verdict, decoded: answer.decoded)
    }

    mutating func leave() {
        if let search { engine.leave(search) }
        search = nil
    }

    mutating func note(_ frame: Int) {
        engine.note(frame: frame)
        canPrepare = true
    }

    mutating func prepare() -> Bool {
        // Trouble ahead is trouble only when somebody asks for the frame.
        if canPrepare { canPrepare = (try? engine.workInAdvance()) ?? false }
        return canPrepare
    }

    var decoded: Int { search?.decoded ?? 0 }
}

/// The engine's cache, asked from any thread.
struct SessionPictures: KeptPictures {
    let cache: Locked<FrameCache>
    let index: FrameIndex

    func exact(_ frame: Int) -> SharedFrame? {
        let picture = Int(index.frames[frame])
        return cache.withLock { $0[picture] }
    }

    func nearest(to frame: Int) -> (frame: Int, image: SharedFrame)? {
        let rank = index.ranks[Int(index.frames[frame])]
        return cache.withLock { $0.nearest(to: rank) }
            .flatMap { found in index.frame(ofPicture: found.picture).map { ($0, found.frame) } }
    }
}
