internal import ScrubFileIO
internal import ScrubLibAV
internal import ScrubBase

/// The choice of the stream that is a file's video.
enum StreamChoice {
    /// Returns the requested stream, or else the main video. Cover art and thumbnail tracks accompany a video and are
    /// never chosen.
    ///
    /// - Parameter counts: returns the numbers of pictures of some streams; called if there are several candidates.
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
                .badData, "contains no video, only a still picture such as cover art",
                advice: "\(term: .coverArt(stream: nil))", fact: .noVideo)
        }
        let what: Wording =
            streams.contains { $0.kind == .audio }
            ? "contains no video, only audio" : "contains no video stream"
        throw ScrubError(.badData, what, advice: "choose a file that contains video", fact: .noVideo)
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
                .usage, "stream \(requested) is cover art, not video",
                advice: "\(term: .coverArt(stream: requested))")
        }
        return stream
    }

    /// Returns the main video among several. A stream with many pictures comes before a still, an independent stream
    /// before a companion of another, and a stream with many pictures before one with few. After that, the default
    /// stream, the larger picture, and the earlier stream are preferred.
    static func best(of videos: [StreamDescription], _ counts: [Int: Int]) -> StreamDescription? {
        let most = counts.values.max() ?? 0
        let count = { (s: StreamDescription) in counts[s.index] ?? 0 }
        let area = { (s: StreamDescription) in Int(s.codec.width) * Int(s.codec.height) }
        let isFrequent = { (s: StreamDescription) in count(s) > most / fewPictures }
        let largest = videos.filter(isFrequent).map(area).max() ?? 0
        let rank = { (s: StreamDescription) -> [Int] in
            let isStill = count(s) < min(2, most)
            // A screen recording may have few pictures, but a video's thumbnails are also small.
            let isSparse = !isFrequent(s) && area(s) <= largest
            return [
                isStill ? 0 : 1, s.isSupplement ? 0 : 1, isSparse ? 0 : 1, s.disposition.contains(.isDefault) ? 1 : 0,
                area(s), -s.index,
            ]
        }
        return videos.max { rank($0).lexicographicallyPrecedes(rank($1)) }
    }

    /// The factor by which a stream must have fewer pictures than another to count as one with few.
    private static let fewPictures = 8
}
