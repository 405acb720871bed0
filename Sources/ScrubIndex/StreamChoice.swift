package import LibAV
package import ScrubBase

/// Which stream of a file is its video.
package enum StreamChoice {
    /// The stream asked for, or else the main one: the default stream before others, then the larger picture, then
    /// the earlier stream. Cover art and thumbnail tracks come with a video and are never taken for it.
    package static func choose(
        among streams: [StreamDescription], requested: Int?
    ) throws(ScrubError) -> StreamDescription {
        if let requested {
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
                    advice: "scrub poster --cover --stream \(requested) writes it")
            }
            return stream
        }
        let videos = streams.filter { $0.kind == .video && !$0.isAttachedPicture }
        let best = videos.max { a, b in
            let area = { (s: StreamDescription) in Int(s.codec.width) * Int(s.codec.height) }
            return (a.isDefault ? 1 : 0, area(a), -a.index) < (b.isDefault ? 1 : 0, area(b), -b.index)
        }
        if let best { return best }
        if streams.contains(where: { $0.isCover }) {
            throw ScrubError(
                .badData, "holds no video, only a still such as cover art",
                advice: "scrub poster --cover writes the still")
        }
        let what =
            streams.contains { $0.kind == .audio }
            ? "holds no video, only sound" : "holds no video stream"
        throw ScrubError(.badData, what, advice: "name a file with moving pictures")
    }
}
