internal import ScrubBitstream
internal import ScrubFileIO
internal import ScrubLibAV
package import ScrubBase

extension FrameIndex {
    /// Joins the indexes of stretches of one film.
    ///
    /// - Parameters:
    ///   - stretches: the stretches in file order, which do not touch, each with its frames that can be decoded and whose
    ///     order is certain. The first one begins with the film.
    ///   - end: the time at which the film ends, if it is known. It must be known if the last stretch ends with the film.
    /// - Throws: `unavailable` if the stretches do not belong to one timeline.
    package init(joining stretches: [(stretch: FilmStretch, frames: Range<Int>)], end: Int64?) throws(ScrubError) {
        let parts = stretches.compactMap { part in part.stretch.index.map { ($0, part.frames) } }
        guard let first = parts.first?.0, stretches[0].stretch.isFirst, stretches[0].stretch.index != nil else {
            throw ScrubError(.unavailable, "the beginning shows no picture")
        }
        var (facts, pictures, starts) = (first.facts, CodedPictures(), [Int]())
        var (order, dependencies): ([UInt32], [DependencyTable]) = ([], [])
        var latest = Int64.min
        for (index, frames) in parts {
            guard let lower = frames.first, let upper = frames.last else { continue }
            guard index.belongs(to: first), index.time(ofFrame: lower) >= latest else {
                throw ScrubError(.unavailable, "its parts are not on one timeline")
            }
            latest = index.time(ofFrame: upper)
            let start = pictures.count
            starts.append(start)
            try pictures.append(index, presenting: frames)
            order += index.displayOrder.map { $0 + UInt32(start) }
            dependencies += index.dependencies.map { $0.moved(by: start) }
            guard index.repairedTimes == nil else { throw ScrubError(.unavailable, "its times jump") }
            facts.changesParameters = facts.changesParameters || index.facts.changesParameters
            facts.hasFilmGrain = facts.hasFilmGrain || index.facts.hasFilmGrain
        }
        guard starts.first == 0, stretches[0].frames.first == 0 else {
            throw ScrubError(.unavailable, "the beginning shows no picture")
        }
        // If the last frame of the film is known, it lasts to the end.
        let isEnding = stretches.last?.stretch.isLast == true
        let lastDuration = end.flatMap { (end) -> Int64? in
            let (duration, overflow) = end.subtractingReportingOverflow(latest)
            return overflow ? nil : duration
        }
        self.init(
            facts: facts, pictures: pictures,
            presentation: Presentation(
                displayOrder: order, repairedTimes: nil, lastDuration: isEnding ? max(1, lastDuration ?? 1) : 1),
            dependencies: dependencies,
            coverage: stretches.count == 1 && isEnding
                ? nil
                : IndexCoverage(
                    stretchStarts: starts, numberedFrameCount: stretches[0].frames.count, end: end))
    }

    /// Returns whether pictures can be decoded with the same decoder and are read in the same way as those of another
    /// stretch.
    private func belongs(to first: FrameIndex) -> Bool {
        facts.codec == first.facts.codec && facts.route == first.facts.route
            && facts.timeBase == first.facts.timeBase && facts.streamIndex == first.facts.streamIndex
            && facts.descriptions.map(\.extradata) == first.facts.descriptions.map(\.extradata)
            && pictures.descriptions.isEmpty && first.pictures.descriptions.isEmpty
            && pictures.decodeTimes.isEmpty == first.pictures.decodeTimes.isEmpty
            && pictures.fingerprints.isEmpty == first.pictures.fingerprints.isEmpty
    }
}

extension CodedPictures {
    /// Appends the pictures of a stretch, of which only some frames are presented.
    fileprivate mutating func append(_ index: FrameIndex, presenting frames: Range<Int>) throws(ScrubError) {
        let table = index.pictures
        guard count <= Int(Int32.max) - table.count else {
            throw ScrubError(.unavailable, "there are too many pictures")
        }
        var all = CodedPictures(table)
        all.recoveryCounts = [:]
        for frame in index.frames.indices where !frames.contains(frame) {
            all.flags[Int(index.frames[frame])].insert(.discarded)
        }
        let (start, counts) = (UInt32(count), recoveryCounts)
        recoveryCounts = [:]
        append(contentsOf: all)
        recoveryCounts = counts
        for (picture, recovery) in table.recoveryCounts { recoveryCounts[picture + start] = recovery }
    }
}
