internal import ScrubBitstream
package import ScrubFileIO
internal import ScrubISOMedia
internal import ScrubLibAV
internal import ScrubMatroska
package import ScrubBase

/// The stream that provides the transparency of another stream's pictures.
///
/// Its pictures form a separate video with their own keyframes and references. Its luma is the alpha.
package struct AlphaIndex: Sendable {
    /// The stream.
    package let index: FrameIndex
    /// The reason why pictures for which nothing was found may still have transparency; `nil` if all blocks were
    /// inspected.
    package let problem: String?
    /// The frame for each coded picture of the other stream, -1 for pictures without one.
    private let frames: [Int32]

    /// Returns the frame that provides a coded picture's transparency; `nil` for an opaque picture.
    package func frame(ofPicture picture: Int) -> Int? {
        guard frames.indices.contains(picture), frames[picture] >= 0 else { return nil }
        return Int(frames[picture])
    }

    /// Finds the stream.
    ///
    /// For a Matroska file, it reads the headers of all blocks, and the first bytes of their additions.
    ///
    /// - Parameter index: the index of the stream to which the transparency belongs.
    /// - Throws: `badData` or `unavailable` if it cannot be found.
    package init(of index: FrameIndex, in file: MediaSource) throws(ScrubError) {
        switch index.facts.alpha {
        case .blocks: try self.init(additionsOf: index, in: file)
        case .track: try self.init(trackOf: index, in: file)
        case .item: try self.init(itemOf: index, in: file)
        case .none, .layer: throw MatroskaIndexer.left("there is no decoder for its transparency")
        }
    }

    /// Finds the block additions of a Matroska file.
    private init(additionsOf index: FrameIndex, in file: MediaSource) throws(ScrubError) {
        let segment = try MatroskaSegment(reading: file)
        let tracks = MatroskaIndexer.streamTracks(segment)
        guard tracks.indices.contains(index.facts.streamIndex) else { throw MatroskaIndexer.left("no such track") }
        let track = tracks[index.facts.streamIndex]
        guard !track.hasContentEncodings else { throw MatroskaIndexer.left("its blocks are encoded or encrypted") }
        var found = AlphaBlocks(index.facts.forAlpha, file)
        var reader = BlockReader(
            segment, track: track.number, source: file.sequentialView(), headSize: 0, readsAhead: file.file != nil,
            findsAlpha: true)
        var problem: ScrubError?
        do throws(ScrubError) {
            while let block = try reader.next() { try found.take(block) }
        } catch {
            if error.code == .inputOutput { throw error }
            problem = error
        }
        if let problem, found.pictures.flags.isEmpty { throw problem }
        guard !found.pictures.flags.isEmpty else { throw MatroskaIndexer.left("no block contains any") }
        try self.init(found.pictures, found.facts, in: file, problem: problem?.cause) {
            found.frames(of: $0, for: index)
        }
    }

    /// Finds the track that provides the transparency of an image sequence.
    private init(trackOf index: FrameIndex, in file: MediaSource) throws(ScrubError) {
        let movie = try Movie(reading: file)
        guard movie.tracks.indices.contains(index.facts.streamIndex),
            let track = movie.tracks.first(where: { $0.alphaOf == movie.tracks[index.facts.streamIndex].id })
        else { throw MatroskaIndexer.left("its track is missing") }
        self.index = try IndexBuilder.makeIndex(of: file, requestedStream: track.position)
        problem = nil
        var frames: [Rational: Int32] = [:]
        for frame in 0..<self.index.frameCount {
            frames[self.index.seconds(ofFrame: frame)] = Int32(clamping: frame)
        }
        var found = [Int32](repeating: -1, count: index.pictures.count)
        for frame in 0..<index.frameCount {
            found[Int(index.frames[frame])] = frames[index.seconds(ofFrame: frame)] ?? -1
        }
        self.frames = found
    }

    /// Finds the item that provides the transparency of a still image.
    private init(itemOf index: FrameIndex, in file: MediaSource) throws(ScrubError) {
        guard let range = AlphaItem(in: file)?.range, let size = UInt32(exactly: range.upperBound - range.lowerBound)
        else { throw MatroskaIndexer.left("the data of its item is not contiguous") }
        var pictures = CodedPictures()
        (pictures.offsets, pictures.sizes, pictures.presentationTimes) = ([range.lowerBound], [size], [0])
        pictures.flags = [PictureFlags.verified.with(.instantaneous).union(.key)]
        try self.init(pictures, index.facts.forAlpha, in: file, problem: nil) { _ in
            [Int32](repeating: 0, count: index.pictures.count)
        }
    }

    private init(
        _ pictures: CodedPictures, _ facts: StreamFacts, in file: MediaSource, problem: String?,
        _ frames: (FrameIndex) -> [Int32]
    ) throws(ScrubError) {
        index = TableOrdering(facts, pictures, sectionStarts: [], file: file).makeIndex(lastDuration: 1)
        guard index.frameCount > 0 else { throw MatroskaIndexer.left("none of its pictures can be decoded") }
        (self.problem, self.frames) = (problem, frames(index))
    }
}

extension StreamFacts {
    /// The facts of the transparency stream, for which the file's facts about the other stream's samples do not hold.
    fileprivate var forAlpha: StreamFacts {
        var facts = StreamFacts()
        (facts.container, facts.streamIndex, facts.codec) = (container, streamIndex, codec)
        (facts.route, facts.timeBase) = (.direct, timeBase)
        var description = descriptions[0]
        (description.extradata, description.sideData, description.pixelFormat) = ([], [], -1)
        facts.descriptions = [description]
        return facts
    }
}

extension FrameIndex {
    fileprivate func seconds(ofFrame frame: Int) -> Rational {
        Rational(checked: presentationTime(ofFrame: frame), 1)?.multiplied(by: facts.timeBase) ?? .zero
    }
}

/// Block additions as pictures.
private struct AlphaBlocks {
    let facts: StreamFacts
    private(set) var pictures = CodedPictures()
    /// The blocks to which the pictures belong, by their index in the track.
    private var blocks: [Int] = []
    private var blockCount = 0
    private let file: MediaSource
    private var heads: BlockHeaderReader?
    private let parser: PictureParser

    init(_ facts: StreamFacts, _ file: MediaSource) {
        (self.facts, self.file) = (facts, file)
        heads = BlockHeaderReader(codec: facts.codec, extradata: [], file: file)
        parser = PictureParser(codec: facts.codec, extradata: [])
    }

    mutating func take(_ block: Block) throws(ScrubError) {
        defer { blockCount += 1 }
        guard let alpha = block.alpha else { return }
        guard let size = UInt32(exactly: alpha.upperBound - alpha.lowerBound), pictures.count < Int(Int32.max) else {
            throw MatroskaIndexer.left("a block addition is implausibly large")
        }
        var own = block
        (own.offset, own.size) = (alpha.lowerBound, size)
        let count = min(Int(size), BlockHeaderReader.size)
        let head = try file.read(at: own.offset, count: count)
        var flags: PictureFlags = []
        do throws(ScrubError) {
            if try heads?.isHidden(own, head: head.span) ?? false { flags.insert(.hidden) }
        } catch {
            if error.code == .inputOutput { throw error }
            // Damage here has an effect only until the next keyframe.
            flags.insert(.corrupt)
        }
        if case .picture(let coded) = parser.examine(sampleHead: head.span, isWhole: count == Int(size)) {
            flags.formUnion(PictureFlags.verified.with(coded.randomAccess))
            if coded.randomAccess == .instantaneous { flags.insert(.key) }
        }
        pictures.offsets.append(own.offset)
        pictures.sizes.append(size)
        pictures.presentationTimes.append(block.timestamp)
        pictures.flags.append(flags)
        blocks.append(blockCount)
    }

    /// Returns the stream's frames by the pictures of another stream. They are those of the same block, or of the same
    /// time if a demuxer has counted packets differently.
    func frames(of index: FrameIndex, for color: FrameIndex) -> [Int32] {
        var frames = [Int32](repeating: -1, count: color.pictures.count)
        let isCountedAlike = color.pictures.count == blockCount
        var places: [Int64: Int] = [:]
        if !isCountedAlike {
            for picture in frames.indices { places[color.pictures.presentationTimes[picture]] = picture }
        }
        for (number, block) in blocks.enumerated() {
            let place = isCountedAlike ? block : places[pictures.presentationTimes[number]]
            guard let place, let frame = index.frame(ofPicture: number) else { continue }
            frames[place] = Int32(clamping: frame)
        }
        return frames
    }
}
