internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// Which stream of a file is its video.
enum StreamChoice {
    /// Returns the stream asked for, or else the film that a person would take. Cover art and thumbnail tracks come
    /// with a video and are never taken for it.
    ///
    /// - Parameter counts: tells how many pictures some streams have; asked where several may be meant.
    static func choose(
        among streams: [StreamDescription], requested: Int?, counts: ([StreamDescription]) -> PictureCounts
    ) throws(ScrubError) -> StreamDescription {
        if let requested { return try named(requested, among: streams) }
        let videos = streams.filter { $0.kind == .video && !$0.isAttachedPicture }
        if videos.count > 1 {
            let counts = counts(videos)
            let films = videos.filter { !counts.auxiliaries.contains($0.index) }
            if var best = best(of: films, counts.pictures) {
                best.chosenOver = films.map(\.index).filter { $0 != best.index }
                return best
            }
        }
        if let only = videos.first { return only }
        if streams.contains(where: { $0.isCover }) {
            throw ScrubError(
                .badData, "holds no video, only a still such as cover art",
                advice: "\(term: .coverArt(stream: nil))", fact: .noVideo)
        }
        let what: Wording =
            streams.contains { $0.kind == .audio }
            ? "holds no video, only sound" : "holds no video stream"
        throw ScrubError(.badData, what, advice: "name a file with moving pictures", fact: .noVideo)
    }

    private static func named(
        _ requested: Int, among streams: [StreamDescription]
    ) throws(ScrubError) -> StreamDescription {
        guard let stream = streams.first(where: { $0.index == requested }) else {
            let known = streams.count == 1 ? "its only stream is 0" : "its streams are 0 to \(streams.count - 1)"
            throw ScrubError(.usage, "has no stream \(requested)", advice: known)
        }
        guard stream.kind == .video else {
            let videos = streams.filter { $0.kind == .video && !$0.isCover }.map { "\($0.index)" }
            throw ScrubError(
                .usage, "stream \(requested) is not video",
                advice: videos.isEmpty
                    ? "it has no video"
                    : "its video \(videos.count == 1 ? "is stream" : "streams are") \(videos.joined(separator: ", "))"
            )
        }
        guard !stream.isCover else {
            throw ScrubError(
                .usage, "stream \(requested) is cover art and not video",
                advice: "\(term: .coverArt(stream: requested))")
        }
        return stream
    }

    /// Returns the film among several videos. One of many pictures comes before a still, one that stands alone before a
    /// companion of another, one of many pictures before one of few. Then come the default stream, the larger picture,
    /// the earlier stream.
    static func best(of videos: [StreamDescription], _ counts: [Int: Int]) -> StreamDescription? {
        let most = counts.values.max() ?? 0
        let count = { (s: StreamDescription) in counts[s.index] ?? 0 }
        let area = { (s: StreamDescription) in Int(s.codec.width) * Int(s.codec.height) }
        let isFrequent = { (s: StreamDescription) in count(s) > most / fewPictures }
        let largest = videos.filter(isFrequent).map(area).max() ?? 0
        let rank = { (s: StreamDescription) -> [Int] in
            let isStill = count(s) < min(2, most)
            // A recorded screen may change rarely; thumbnails of a film are also small.
            let isSparse = !isFrequent(s) && area(s) <= largest
            return [
                isStill ? 0 : 1, s.isSupplement ? 0 : 1, isSparse ? 0 : 1, s.disposition.contains(.isDefault) ? 1 : 0,
                area(s), -s.index,
            ]
        }
        return videos.max { rank($0).lexicographicallyPrecedes(rank($1)) }
    }

    /// A stream with so many times fewer pictures than another has few.
    private static let fewPictures = 8
}
