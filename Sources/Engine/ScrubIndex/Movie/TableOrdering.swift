internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// Puts the pictures of a container's tables into display order and on its timeline, according to the container's
/// times.
///
/// Samples are read only if the times are not enough.
struct TableOrdering {
    private var facts: StreamFacts
    private var pictures: CodedPictures
    private let file: MediaSource
    private var order: [UInt32] = []
    /// Whether the pictures' own order counts determined the order of all pictures with equal times.
    private(set) var isSettled = true
    /// Whether IDR pictures prove that times before and after them are wrong.
    private(set) var isContradicted = false

    /// Orders pictures, and marks those that cannot be decoded.
    ///
    /// - Parameter sectionStarts: the pictures before which nothing that comes after them is shown, in ascending order.
    init(
        _ facts: StreamFacts, _ pictures: CodedPictures, sectionStarts: [Int], file: MediaSource,
        rules: IndexRules = .init()
    ) {
        (self.facts, self.pictures, self.file) = (facts, pictures, file)
        let barriers = sequenceBarriers(sectionStarts.filter { $0 > 0 })
        // All other decoders output a picture at once, whatever its time.
        let keys =
            mayReorder || !rules.codecDecidesOrder
            ? pictures.presentationTimes : [Int64](repeating: 0, count: pictures.count)
        order = DisplayOrder.sort(
            keys: keys, sectionStarts: barriers,
            isShown: { !pictures.flags[$0].contains(.hidden) })
        let ties = SameTimePictures(in: order, times: pictures.presentationTimes, sectionStarts: barriers)
        if !ties.isEmpty, mayReorder {
            isSettled = ties.settle(&order, pictures: pictures, facts: facts, file: file)
        }
        StreamStart.markUndecodable(&self.pictures, displayOrder: order, codec: facts.codec) { pictures, picture in
            let coded = TableOrdering.look(at: picture, pictures, facts, file)
            return (
                coded?.randomAccess ?? .none, coded?.leading == .decodable, coded?.recoveryCount ?? 0,
                coded?.isReference ?? false
            )
        }
    }

    /// Whether the coded order of pictures may differ from their display order.
    private var mayReorder: Bool { facts.codec == .h264 || facts.codec == .hevc }

    /// The presented pictures in display order.
    var frames: [UInt32] { order.filter { pictures.flags[Int($0)].isDisjoint(with: .notPresented) } }

    /// Makes the index.
    ///
    /// - Parameter lastDuration: the duration of the last frame; 0 if the container does not give it.
    func makeIndex(lastDuration: Int64) -> FrameIndex {
        var facts = facts
        var (step, repaired): (Int64, [Int64]?) = (lastDuration, nil)
        // Samples that hold two fields. Some writers give the last one the duration of a single field.
        let mayHoldFields =
            facts.codec == .h264
            && facts.descriptions.first.map {
                PictureParser(codec: .h264, extradata: $0.extradata).mayHoldFields
            } == true
        if lastDuration <= 0 || mayHoldFields || !isAscending {
            let times = frames.map { pictures.presentationTimes[Int($0)] }
            let common = Timeline.commonStep(times)
            if step <= 0 || mayHoldFields && common.map({ Timeline.isField(step, of: $0) }) == true {
                step = max(1, common ?? usualStep)
            }
            let second = max(1, facts.timeBase.denominator / max(1, facts.timeBase.numerator))
            let ascending = mayReorder ? nil : Timeline.inDisplayOrder(times, splice: second)
            repaired = Timeline.repaired(ascending ?? times, step: step, splice: second) ?? ascending
        }
        if repaired != nil {
            facts.warnings.append("composition times contradict the order in which the pictures must be shown")
        }
        return FrameIndex(
            facts: facts, pictures: pictures,
            presentation: Presentation(displayOrder: order, repairedTimes: repaired, lastDuration: step))
    }

    /// The duration of a picture if neither two pictures nor the container give it: 1/25 of a second, as in
    /// libavformat's raw streams.
    private var usualStep: Int64 {
        Rational(1, 25).divided(by: facts.timeBase).map { Int64(clamping: $0.scaledDown(1)) } ?? 1
    }

    /// Whether the times can be used for a timeline as they are, which one pass shows in valid files.
    private var isAscending: Bool {
        var latest = CodedPictures.noTime
        for place in order.indices {
            let time = pictures.presentationTimes[Int(order[place])]
            if time < latest { return false }
            latest = time
        }
        return true
    }

    /// Returns the positions across which pictures may not move: edits, and IDR pictures after which an earlier picture
    /// is shown according to the times. Decoders cannot do that (ITU-T H.264 C.4.4, H.265 C.5.2.2: all earlier pictures
    /// are output first), so the times are wrong there, not the order.
    private mutating func sequenceBarriers(_ sections: [Int]) -> [Int] {
        var barriers = sections
        guard mayReorder else { return barriers }
        var latest = Int64.min
        var starts = Set(barriers)
        for picture in 0..<pictures.count {
            if !starts.isEmpty, starts.contains(picture) { latest = .min }
            let time = pictures.presentationTimes[picture]
            if time < latest, pictures.flags[picture].contains(.key),
                TableOrdering.look(at: picture, pictures, facts, file)?.randomAccess == .instantaneous
            {
                isContradicted = true
                barriers.append(picture)
                starts.insert(picture)
                latest = .min
            }
            latest = max(latest, time)
        }
        return barriers.sorted()
    }

    /// Reads the headers of one sample.
    static func look(
        at picture: Int, _ pictures: CodedPictures, _ facts: StreamFacts, _ file: MediaSource
    ) -> CodedPicture? {
        let description = pictures.descriptions.isEmpty ? 0 : Int(pictures.descriptions[picture])
        return SampleHead.examine(
            offset: pictures.offsets[picture], size: pictures.sizes[picture], codec: facts.codec,
            extradata: facts.descriptions[description].extradata, file: file)
    }
}
