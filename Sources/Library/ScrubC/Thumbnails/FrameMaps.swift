#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubReports
internal import ScrubMedia
internal import ScrubBase
internal import ScrubFileIO

@c @implementation func scrub_write_frame_map(
    _ video: OpaquePointer?, _ format: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?, _ flags: UInt32,
    _ bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(bytes, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let word = try unsafe CText.read(format, "the format")
        guard let format = FrameMapFormat(rawValue: word) else {
            let names = FrameMapFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw ScrubError(.usage, "there is no frame map format '\(word)'", advice: "use one of \(names)")
        }
        guard flags & ~UInt32(SCRUB_REPLACE) == 0, unsafe flags == 0 || path != nil else {
            throw ScrubError.flags("the flags", flags)
        }
        let file = try unsafe path.map {
            try OutputFile(unsafe CText.read($0), .frameList, replacesFiles: flags & UInt32(SCRUB_REPLACE) != 0)
        }
        if file == nil { try place.require("the pointer to the frame map") }
        try video.alone { _ in
            if let file { return try format.write(video.asset, to: file) }
            var text = ""
            try format.pieces(of: video.asset) { text += $0 }
            try place.store(text)
        }
    }
}

@c @implementation func scrub_plan(
    _ video: OpaquePointer?, _ frame: Int64, _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        try place.require("the pointer to the JSON")
        let number = try video.number(frame)
        try video.alone { _ in
            var reader = FrameReader(video.asset)
            let plan = reader.decodePlan(ofFrame: number)
            try video.asset.checkReads()
            try place.store(
                JSONText(plan, requested: "f\(number)", frame: number, network: video.asset.networkCost).text)
        }
    }
}

@c @implementation func scrub_make_previews(
    _ video: OpaquePointer?, _ side: Int32, _ threads: Int32,
    _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let side = try CNumber.count(side, "side", atMost: 16_384) ?? PreviewTrack.keptSide
        let threads = try CNumber.count(threads, "threads", atMost: 256)
        try video.alone { progress in
            let report = try video.asset.keepPreviews(
                longSide: side, threadCount: threads, progress: { progress.set($0) })
            try place.store(report.json(of: video.asset, film: video.asset.path).text)
        }
    }
}
#endif
