#if Viewer
internal import ScrubFileIO
internal import Scrub
internal import ScrubReports
internal import ScrubBase
internal import ScrubDecoding
internal import ScrubIndex
internal import ScrubMedia

/// An open video, with the facts that are requested more than once.
///
/// Thread safety: safe from any thread. Calls that read block, so make them on threads that may block.
final class ViewedMedium: Sendable {
    let id: String
    let name: String
    let asset: VideoAsset
    /// Distinguishes this content from other content under the same name, across runs.
    let fingerprint: String
    /// The key of everything that is kept about it while the server runs, unique to this state of the file.
    let content: String
    private let named: NamedMedium
    /// The file's state when it was opened; `nil` for an address.
    private let opened: FileState?
    private let retired = Locked(false)
    /// Created on first request.
    private let made = Locked(Made())

    private struct Made {
        var times: String?
        var info: VideoInfo?
        var keyframes: [Int]?
        var heat: [Int: String] = [:]
        var types: [Int: Character] = [:]
    }

    /// Opens the medium; blocks.
    private init(_ medium: NamedMedium, _ options: VideoAsset.OpenOptions, _ network: NetworkOptions) throws(ScrubError)
    {
        (id, name, named) = (medium.id, medium.name, medium)
        let source = try medium.source(options, network)
        opened = source.file.flatMap { FileState($0) }
        asset = try VideoAsset(source, options: options)
        if source.identity != nil {
            fingerprint = try IndexFile.Key(source, requestedStream: options.stream).name
        } else {
            fingerprint = PlainText.hexadecimal(UInt64.random(in: 0 ... .max))
        }
        content = opened.map { "\(medium.id) \($0.key)" } ?? fingerprint
    }

    /// Opens a medium, ensuring that its file stays the same; blocks.
    ///
    /// - Returns: the result, with the file's state at that time.
    static func opening(
        _ medium: NamedMedium, _ options: VideoAsset.OpenOptions, _ network: NetworkOptions
    ) -> (FileState?, Result<(ViewedMedium, ListedFacts), ScrubError>) {
        var state: FileState?
        for _ in 0..<3 {
            state = medium.settledState()
            do throws(ScrubError) {
                let opened = try ViewedMedium(medium, options, network)
                let facts = try ListedFacts(opened)
                if opened.opened == state, opened.isAsOpened { return (state, .success((opened, facts))) }
            } catch {
                if medium.state() == state { return (state, .failure(error)) }
            }
        }
        return (
            state,
            .failure(
                ScrubError(
                    .unavailable, "is being written to", file: medium.name,
                    advice: "try again when it is complete"))
        )
    }

    /// Whether its name still refers to the opened file, and the file has not been written since; blocks for some
    /// system calls.
    var isAsOpened: Bool {
        guard let opened, let file = asset.file.file else { return !isRetired }
        return !isRetired && FileState(file) == opened && named.state() == opened
    }

    /// Whether its file has been replaced, so that nothing more is made from it.
    var isRetired: Bool { retired.withLock { $0 } }

    /// Ends the work for it.
    func retire() { retired.withLock { $0 = true } }

    /// Returns its facts; blocks the first time.
    func info() throws(ScrubError) -> VideoInfo {
        if let known = made.withLock({ $0.info }) { return known }
        let info = try asset.info()
        made.withLock { $0.info = info }
        return info
    }

    /// Returns the content of `scrub info`, and the positions of the key pictures.
    func facts() throws(ScrubError) -> String {
        let info = try info()
        var line = InfoJSON(asset, info, file: name).object
        // The width and height in the facts are the stored picture's.
        let shown = ListedFacts.shownSize(info)
        line.add("displayWidth", shown.width)
        line.add("displayHeight", shown.height)
        line.add("id", id)
        line.add("name", name)
        line.add("fingerprint", fingerprint)
        line.add("keyframes", .array(keyframes.map { .integer(Int64($0)) }))
        return line.text
    }

    /// The frames whose pictures are independent according to the container.
    var keyframes: [Int] {
        if let known = made.withLock({ $0.keyframes }) { return known }
        let found = asset.index.restarts.compactMap { asset.index.frame(ofPicture: Int($0)) }.sorted()
        made.withLock { $0.keyframes = found }
        return found
    }

    /// Returns the frame at which decoding of another frame begins, as far as it is known without reading.
    func keyframe(before frame: Int) -> Int? {
        let keys = keyframes
        let place = keys.partitioningIndex { $0 > frame }
        return place > 0 ? keys[place - 1] : keys.first
    }

    /// The exact times at which all frames appear on screen, in runs of equal steps.
    var times: String {
        if let known = made.withLock({ $0.times }) { return known }
        let text = PresentationTimes(asset).json
        made.withLock { $0.times = text }
        return text
    }

    /// Returns the cost of seeking, in this many columns; blocks the first time.
    func heat(columns: Int) -> String {
        if let known = made.withLock({ $0.heat[columns] }) { return known }
        let text = SeekHeat(asset, columns: columns).json
        made.withLock { made in
            if made.heat.count >= 8 { made.heat = [:] }
            made.heat[columns] = text
        }
        return text
    }

    /// Returns the picture types of frames from their headers, `?` if unknown; blocks while it reads.
    func types(_ frames: Range<Int>) -> String {
        let planner = asset.seekPlanner()
        return String(frames.map { type(ofFrame: $0, planner) })
    }

    /// Returns the type of one frame's picture; blocks while it reads.
    func type(ofFrame frame: Int) -> Character { type(ofFrame: frame, asset.seekPlanner()) }

    private func type(ofFrame frame: Int, _ planner: SeekPlanner) -> Character {
        if let known = made.withLock({ $0.types[frame] }) { return known }
        let type = planner.pictureType(ofFrame: frame) ?? "?"
        made.withLock { $0.types[frame] = type }
        return type
    }
}
#endif
