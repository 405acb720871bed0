#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubMedia
internal import ScrubBase

@c @implementation func scrub_read(
    _ video: OpaquePointer?, _ frame: Int64, _ picture: UnsafeMutablePointer<scrub_picture>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let target = try unsafe PictureTarget(picture)
        do {
            try video.frame(try video.number(frame)) { try target.take($0) }
        } catch is CancellationError {
            target.cancel()
            throw CancellationError()
        } catch let failure as ScrubError {
            target.fail(failure)
            throw failure.inFile(video.asset.path)
        }
    }
}

@c @implementation func scrub_read_many(
    _ video: OpaquePointer?, _ frames: UnsafePointer<Int64>?, _ count: Int,
    _ pictures: UnsafeMutablePointer<scrub_picture>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard count != 0 else { return }
        guard let frames = unsafe frames else { throw ScrubError.null("the array of frames") }
        guard let pictures = unsafe pictures else { throw ScrubError.null("the array of pictures") }
        // All frames are checked before any is decoded.
        let targets = try unsafe PictureTarget.all(pictures, count)
        var places: [Int: [Int]] = [:]
        var failures: [Int: ScrubError] = [:]
        for place in 0..<count {
            do throws(ScrubError) {
                places[try video.number(unsafe frames[place]), default: []].append(place)
            } catch {
                targets[place].fail(error)
                failures[place] = error
            }
        }
        var left = places
        do {
            try video.frames(Array(places.keys)) { answer in
                for place in left.removeValue(forKey: answer.frame.number) ?? [] {
                    do throws(ScrubError) {
                        try targets[place].take(answer)
                    } catch {
                        failures[place] = error
                    }
                }
            }
        } catch is CancellationError {
            for place in left.values.joined() { targets[place].cancel() }
            throw CancellationError()
        } catch let failure as ScrubError {
            // Reading failed: the missing frames get no other answer.
            for place in left.values.joined() {
                targets[place].fail(failure)
                failures[place] = failure
            }
        }
        if let first = failures.min(by: { $0.key < $1.key })?.value { throw first.inFile(video.asset.path) }
    }
}
#endif
