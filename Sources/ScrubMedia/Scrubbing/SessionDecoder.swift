internal import FileIO
internal import LibAV
internal import ScrubDecoding
internal import ScrubIndex

/// A session's pictures from the exact-seek engine.
struct SessionDecoder: PictureSource {
    private let engine: FrameEngine
    private let index: FrameIndex
    private let pictures: SessionPictures
    private let out = Out()
    private var search: FrameSearch?
    private var canPrepare = false
    /// Pictures of the strip that are still wanted; nothing before it was begun.
    private var stripCount: Int
    private var hasStripWork = false
    private let stripReducer: Reducer

    /// Pictures that came out of the engine during a step. Only the session's thread touches it.
    private final class Out {
        var pictures: [(frame: Int, image: SharedFrame)] = []
        var isListening = false
    }

    /// Makes small pictures. Only the session's thread touches it.
    private final class Reducer {
        private var reducer = FrameReducer()
        private let longSide: Int
        private let allocator: FrameAllocator

        init(longSide: Int, _ allocator: FrameAllocator) {
            (self.longSide, self.allocator) = (longSide, allocator)
        }

        /// Nothing when there is no memory for it, or no way: then the picture is not kept, and that is all.
        func reduce(_ image: SharedFrame) -> SharedFrame? {
            let size = FrameReducer.size(width: image.frame.width, height: image.frame.height, longSide: longSide)
            guard FrameReducer.canReduce(image.frame.pixelFormat),
                let small = try? reducer.reduce(
                    image.frame, width: size.width, height: size.height, in: allocator)
            else { return nil }
            return SharedFrame(small)
        }
    }

    init(_ engine: FrameEngine, _ pictures: SessionPictures, _ options: ScrubOptions) {
        (self.engine, index, self.pictures) = (engine, pictures.index, pictures)
        stripCount = options.stripCount
        stripReducer = Reducer(longSide: options.stripSide, engine.allocator)
        let out = out
        let index = index
        let reducer = options.reducedSide.map { Reducer(longSide: $0, engine.allocator) }
        engine.watcher = { (picture, frame) in
            if let reducer, pictures.small.withLock({ $0[picture] }) == nil, let small = reducer.reduce(frame) {
                pictures.keep(small, ofPicture: picture, in: pictures.small)
            }
            guard out.isListening, let number = index.frame(ofPicture: picture) else { return }
            out.pictures.append((number, frame))
        }
        if reducer != nil { engine.isKeptElsewhere = { picture in pictures.small.withLock { $0[picture] != nil } } }
    }

    mutating func begin(_ frame: Int) throws(ScrubError) {
        canPrepare = true
        pictures.look(at: frame)
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
        pictures.look(at: frame)
        canPrepare = true
    }

    mutating func prepare() -> Bool {
        // Trouble ahead is trouble only when somebody asks for the frame.
        if canPrepare { canPrepare = (try? engine.workInAdvance()) ?? false }
        return canPrepare || prepareStrip()
    }

    /// Does about one packet of the strip.
    private mutating func prepareStrip() -> Bool {
        if stripCount > 0 {
            engine.prepareStrip(of: engine.stripFrames(count: stripCount))
            (stripCount, hasStripWork) = (0, true)
        }
        guard hasStripWork else { return false }
        // A picture that cannot be read is left out.
        hasStripWork =
            (try? engine.workOnStrip { frame, image in
                guard let small = stripReducer.reduce(image) else { return }
                pictures.keep(small, ofPicture: Int(index.frames[frame]), in: pictures.strip)
            }) ?? true
        return hasStripWork
    }

    var decoded: Int { search?.decoded ?? 0 }
}
