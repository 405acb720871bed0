internal import ScrubFileIO
internal import ScrubHLSPlaylists
internal import ScrubBase
internal import ScrubIndex
internal import ScrubMedia

/// An opener of segments as videos, which keeps the last few open.
struct WindowOpener {
    private let library: SegmentOpener
    private let options: HLSVideo.Options
    private let name: String
    /// The open windows, the most recently used last.
    private var open: [SegmentWindow] = []

    /// The number of windows to keep open: the current one, its neighbor, and the two joined.
    private static let limit = 3
    /// The maximum number of pictures after the first frame that can appear on screen before it (ITU-T H.264 A.3.1,
    /// H.265 A.4.2), plus one.
    private static let reorderedPictures = 18
    /// The number of bytes to read at first in a segment of which only the first frame's time is needed.
    private static let headBytes: Int64 = 188 << 10

    init(_ library: SegmentOpener, options: HLSVideo.Options, name: String) {
        (self.library, self.options, self.name) = (library, options, name)
    }

    /// Returns the window of segments, opening it if necessary.
    ///
    /// - Throws: as for opening a `VideoAsset`, with the segments' names.
    mutating func window(_ segments: Range<Int>, of timeline: StreamTimeline) throws(ScrubError) -> SegmentWindow {
        if let place = open.firstIndex(where: { $0.segments == segments && isCurrent($0, timeline) }) {
            let found = open.remove(at: place)
            open.append(found)
            return found
        }
        let (source, starts) = try joined(segments, of: timeline)
        // Transport streams are read completely and sequentially; for others, only the requested bytes are read.
        if timeline.initialization(of: segments.lowerBound) == nil { source.prefetch([0..<source.byteCount]) }
        let asset: VideoAsset
        do throws(ScrubError) {
            asset = try self.asset(source, segments, of: timeline, cache: options.openOptions.cache)
        } catch {
            // The announced bytes are not needed for now.
            if Cancellation.isCurrentCancelled { source.prefetch([]) }
            throw error
        }
        var reader = options.reader
        reader.cacheByteLimit /= WindowOpener.limit
        let window = try SegmentWindow(
            segments, asset: asset, starts: starts, stretch: timeline.stretch(of: segments.lowerBound), options: reader)
        if open.count >= WindowOpener.limit { open.removeFirst() }
        open.append(window)
        return window
    }

    /// Returns the time of the first frame of a segment, in seconds by its own timestamps, reading no more than
    /// necessary.
    ///
    /// - Precondition: no joinable segment precedes it.
    mutating func firstTimestamp(_ segment: Int, of timeline: StreamTimeline) throws(ScrubError) -> Rational {
        let whole = segment..<segment + 1
        if let known = open.first(where: { $0.segments == whole }) { return known.firstTimestamp }
        // For movie fragments, only the tables are read in any case.
        guard timeline.initialization(of: segment) == nil else { return try window(whole, of: timeline).firstTimestamp }
        let (source, _) = try joined(whole, of: timeline)
        var count = WindowOpener.headBytes
        while count < source.byteCount / 2 {
            let head = PartSource(source, 0..<count)
            head.prefetch([0..<count])
            // A start of a file that is too short for the stream's parameters is not damage.
            if let asset = try? asset(head, whole, of: timeline, cache: .none) {
                let index = asset.index
                let picture = Int(index.frames[0])
                if index.pictures.count - picture > WindowOpener.reorderedPictures,
                    let time = Rational(checked: index.time(ofFrame: 0), 1)?.multiplied(by: index.facts.timeBase)
                {
                    return time
                }
            }
            count *= 4
        }
        return try window(whole, of: timeline).firstTimestamp
    }

    /// Returns whether a window is still valid. A window is dropped if its last segment is no longer the end.
    private func isCurrent(_ window: SegmentWindow, _ timeline: StreamTimeline) -> Bool {
        let stretch = timeline.stretch(of: window.segments.lowerBound)
        return window.endsStretch == (window.segments.upperBound == stretch.upperBound)
    }

    private func joined(
        _ segments: Range<Int>, of timeline: StreamTimeline
    ) throws(ScrubError) -> (source: JoinedSource, starts: [Int64]) {
        var parts: [any ByteSource] = []
        let head = try library.initialization(of: segments.lowerBound, in: timeline)
        if let head { parts.append(MemorySource(head)) }
        for segment in segments { parts.append(try library.segment(segment, of: timeline)) }
        let source = try JoinedSource(parts)
        return (source, Array(source.starts.dropFirst(head == nil ? 0 : 1).prefix(segments.count)))
    }

    private func asset(
        _ source: any ByteSource, _ segments: Range<Int>, of timeline: StreamTimeline, cache: VideoAsset.IndexCache
    ) throws(ScrubError) -> VideoAsset {
        let first = timeline.segments[segments.lowerBound]
        let last = timeline.segments[segments.upperBound - 1]
        let numbers =
            segments.count == 1 ? "segment \(first.sequence)" : "segments \(first.sequence) to \(last.sequence)"
        var open = VideoAsset.OpenOptions(stream: options.openOptions.stream, cache: cache)
        open.limits = options.openOptions.limits
        return try VideoAsset(
            file: try MediaSource(source, name: "\(name): \(numbers) (\(first.resource.uri))"), options: open,
            rules: .init())
    }
}
