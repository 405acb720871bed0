import Foundation
import Scrub

/// The distance of previews to the exact frames of their numbers.
///
/// A session makes the film's previews. Each is asked for as a finger that moves asks, and compared with the frame that
/// a reader decodes, reduced to the preview's size.
struct ExactDistance {
    let path: String
    let asset: VideoAsset
    /// Of so many frames one is compared.
    let step: Int
    /// The place around which previews are made, as a part of the film.
    let begin: Double

    /// Frames whose pictures are held at a time.
    private static let batch = 64

    func run() throws -> [String: Any] {
        var wanted: [Int] = []
        var (compared, worst, sum, planes) = (0, (distance: 0.0, frame: 0), 0.0, [0.0, 0.0, 0.0])
        var previewed = 0
        var left: [Int]?
        // A frame that the session has decoded is shown exact, and not as a preview: another session has its preview.
        for _ in 0..<8 where left != [] {
            let session = try ScrubSession(asset)
            let found = Guarded<[Int: SmallPlanes]>([:])
            let observation = session.observe { update in
                guard update.stage == .preview, update.frame.number == update.requestedFrame else { return }
                guard let picture = update.picture.flatMap({ SmallPlanes($0) }) else { return }
                found.withLock { $0[update.frame.number] = picture }
            }
            session.makePreviews(around: min(asset.frames.count - 1, Int(begin * Double(asset.frames.count))))
            guard let previews = session.previews else { break }
            if left == nil {
                wanted = asset.frames.indices.filter { $0 % step == 0 && session.hasPreview(ofFrame: $0) }
                previewed = previews.frameCount
            }
            var missed: [Int] = []
            var reader = FrameReader(asset)
            let frames = left ?? wanted
            for begin in stride(from: 0, to: frames.count, by: Self.batch) {
                let batch = frames[begin..<min(frames.count, begin + Self.batch)]
                for frame in batch { session.scrub(toFrame: frame, isMoving: true) }
                // Nothing is decoded ahead, for that would be exact.
                session.cancelPendingRequest()
                let previews = found.withLock { found in
                    defer { found = [:] }
                    return found
                }
                missed += batch.filter { previews[$0] == nil }
                try reader.frames(numbered: batch.filter { previews[$0] != nil }) { answer in
                    guard let preview = previews[answer.frame.number] else { return }
                    guard let picture = answer.picture.flatMap({ SmallPlanes($0) }) else {
                        missed.append(answer.frame.number)
                        return
                    }
                    let exact = picture.reduced(as: preview)
                    let distance = exact.distance(to: preview)
                    (compared, sum) = (compared + 1, sum + distance)
                    if distance > worst.distance { worst = (distance, answer.frame.number) }
                    for (place, one) in exact.distances(to: preview).enumerated() {
                        planes[place] = max(planes[place], one)
                    }
                }
            }
            observation.end()
            left = missed
        }
        return [
            "film": URL(filePath: path).lastPathComponent, "frames": asset.frames.count, "previews": previewed,
            "step": step, "wanted": wanted.count, "compared": compared,
            "meanCodes": rounded(sum / Double(max(1, compared)), 3), "worstCodes": rounded(worst.distance, 3),
            "worstFrame": worst.frame, "worstCodesOfPlanes": planes.map { rounded($0, 3) },
            "isNear": compared > 0 && compared == wanted.count && worst.distance < 3,
        ]
    }
}
