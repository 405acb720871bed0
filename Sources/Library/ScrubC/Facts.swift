#if compiler(>=6.3)
internal import CScrub
internal import Glibc
internal import Scrub
internal import ScrubReports
internal import ScrubMedia
internal import ScrubBase

/// The library's version for C, created on the first call and never freed.
private nonisolated(unsafe) let version = unsafe strdup(Release.version)

@c @implementation func scrub_version() -> UInt32 {
    UInt32(SCRUB_VERSION_MAJOR) << 16 | UInt32(SCRUB_VERSION_MINOR) << 8 | UInt32(SCRUB_VERSION_PATCH)
}

@c @implementation func scrub_version_text() -> UnsafePointer<CChar>? {
    unsafe UnsafePointer(version)
}

@c @implementation func scrub_status_text(_ status: scrub_status) -> UnsafePointer<CChar>? {
    let text: StaticString =
        switch UInt32(bitPattern: status) {
        case UInt32(SCRUB_OK): "done"
        case UInt32(SCRUB_CANCELLED): "the call was cancelled"
        case UInt32(SCRUB_USAGE): "the request is invalid"
        case UInt32(SCRUB_BAD_DATA): "the file's data cannot be decoded as requested, or exceeds a limit"
        case UInt32(SCRUB_NO_INPUT): "the file does not exist or cannot be read"
        case UInt32(SCRUB_UNAVAILABLE):
            "a required component or resource is not available, or a rule forbids the request"
        case UInt32(SCRUB_FORKED): "the process was forked after a video had been opened"
        case UInt32(SCRUB_IO): "a read or write failed"
        default: "unknown"
        }
    // String literals end with 0.
    return unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

@c @implementation func scrub_get_length(
    _ video: OpaquePointer?, _ frameCount: UnsafeMutablePointer<Int64>?, _ numerator: UnsafeMutablePointer<Int64>?,
    _ denominator: UnsafeMutablePointer<Int64>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let frames = try unsafe Handles.video(video).asset.frames
        guard let frameCount = unsafe frameCount, let numerator = unsafe numerator,
            let denominator = unsafe denominator
        else { throw ScrubError.null("a pointer to a number") }
        unsafe frameCount.pointee = Int64(frames.count)
        let base = frames.first?.timeBase ?? .one
        unsafe (numerator.pointee, denominator.pointee) = (base.numerator, base.denominator)
    }
}

@c @implementation func scrub_get_facts(
    _ video: OpaquePointer?, _ facts: UnsafeMutablePointer<scrub_facts>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let facts = unsafe facts else { throw ScrubError.null("the pointer to the facts") }
        var said = try unsafe SizedCopy(facts)
        try video.alone { _ in
            let info = try video.info()
            let rate = info.frameRate ?? info.averageFrameRate
            said.value.stream = Int32(clamping: info.streamIndex)
            said.value.frame_count = Int64(info.frameCount)
            said.value.time_base_num = info.timeBase.numerator
            said.value.time_base_den = info.timeBase.denominator
            said.value.start_pts = info.startTimeUnits
            said.value.duration = info.durationUnits
            said.value.frame_rate_num = rate?.numerator ?? 0
            said.value.frame_rate_den = rate?.denominator ?? 1
            said.value.aspect_num = info.sampleAspectRatio?.numerator ?? 0
            said.value.aspect_den = info.sampleAspectRatio?.denominator ?? 1
            said.value.keyframe_count = Int64(info.keyframeCount)
            said.value.width = Int32(clamping: info.width)
            said.value.height = Int32(clamping: info.height)
            said.value.rotation = Int32(clamping: info.rotation)
            said.value.has_alpha = info.hasAlpha ? 1 : 0
            unsafe withUnsafeMutableBytes(of: &said.value.codec) { unsafe CText.write(info.codec, into: $0) }
            unsafe withUnsafeMutableBytes(of: &said.value.pixel_format) {
                unsafe CText.write(info.pixelFormat, into: $0)
            }
            unsafe withUnsafeMutableBytes(of: &said.value.container) { unsafe CText.write(info.container, into: $0) }
        }
        unsafe said.store(in: facts)
    }
}

@c @implementation func scrub_find(
    _ video: OpaquePointer?, _ position: UnsafePointer<CChar>?, _ flags: UInt32, _ frame: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let frame = unsafe frame else { throw ScrubError.null("the pointer to the frame") }
        guard flags & ~UInt32(SCRUB_CLAMP) == 0 else { throw ScrubError.flags("the flags", flags) }
        let position = try FramePosition(try unsafe CText.read(position, "the position"))
        let found = try video.asset.resolved(position, clamps: flags & UInt32(SCRUB_CLAMP) != 0).frame
        unsafe frame.pointee = Int64(found.number)
    }
}

@c @implementation func scrub_find_seconds(
    _ video: OpaquePointer?, _ seconds: Double, _ flags: UInt32, _ frame: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let frame = unsafe frame else { throw ScrubError.null("the pointer to the frame") }
        guard flags & ~UInt32(SCRUB_CLAMP | SCRUB_CONTAINER_TIME) == 0 else {
            throw ScrubError.flags("the flags", flags)
        }
        guard let time = ComputedTime(seconds) else {
            throw ScrubError(.usage, "\(seconds) is not a time", advice: "use a finite number of seconds")
        }
        let isContainers = flags & UInt32(SCRUB_CONTAINER_TIME) != 0
        let position = FramePosition.computedTime(isContainers ? time.counted(from: video.asset.startTime) : time)
        let found = try video.asset.resolved(position, clamps: flags & UInt32(SCRUB_CLAMP) != 0).frame
        unsafe frame.pointee = Int64(found.number)
    }
}

@c @implementation func scrub_find_pts(
    _ video: OpaquePointer?, _ pts: Int64, _ frame: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let frame = unsafe frame else { throw ScrubError.null("the pointer to the frame") }
        unsafe frame.pointee = Int64(video.frame(atTime: pts))
    }
}

@c @implementation func scrub_get_times(
    _ video: OpaquePointer?, _ first: Int64, _ count: Int, _ times: UnsafeMutablePointer<scrub_time>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) {
        try unsafe row(video, first, count, times) { frame in
            scrub_time(
                pts: frame.presentationTime, duration: frame.durationUnits, is_keyframe: frame.isKeyframe ? 1 : 0,
                reserved: 0)
        }
    }
}

@c @implementation func scrub_get_offsets(
    _ video: OpaquePointer?, _ first: Int64, _ count: Int, _ offsets: UnsafeMutablePointer<Int64>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe answering(error) { try unsafe row(video, first, count, offsets) { $0.offset } }
}

extension OpenVideo {
    /// The last of the frames with the greatest time that is not later; before all times, the first frame.
    fileprivate func frame(atTime pts: Int64) -> Int {
        let frames = asset.frames
        guard hasRisingTimes else {
            var found: PresentedFrame?
            for frame in frames where frame.presentationTime <= pts {
                if frame.presentationTime >= found?.presentationTime ?? .min { found = frame }
            }
            return found?.number ?? 0
        }
        var (low, high) = (0, frames.count)
        while low < high {
            let middle = low + (high - low) / 2
            if frames[middle].presentationTime <= pts { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }

    /// What is known about the file; errors include it.
    fileprivate func info() throws(ScrubError) -> VideoInfo {
        do throws(ScrubError) { return try asset.info() } catch { throw error.inFile(asset.path) }
    }
}

/// Writes a value for each of several consecutive frames.
private func row<Value>(
    _ video: OpaquePointer?, _ first: Int64, _ count: Int, _ values: UnsafeMutablePointer<Value>?,
    _ value: (PresentedFrame) -> Value
) throws(ScrubError) {
    let video = try unsafe Handles.video(video)
    guard count != 0 else { return }
    guard let values = unsafe values else { throw .null("the pointer to the times") }
    let frames = video.asset.frames
    let first = try video.number(first)
    // A size_t in the upper half of its range arrives as a negative number.
    guard count > 0, count <= frames.count - first else {
        throw ScrubError(
            .usage,
            "there are only \(frames.count - first) frames from frame \(first) on, but \(UInt(bitPattern: count)) were requested",
            file: video.asset.path, advice: "request at most that many")
    }
    for place in 0..<count { unsafe values[place] = value(frames[first + place]) }
}

@c @implementation func scrub_describe(
    _ video: OpaquePointer?, _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        try place.require("the pointer to the JSON")
        try video.alone { _ in
            try place.store(
                InfoJSON(video.asset, try video.info(), file: video.asset.path, for: CallWords.face).text)
        }
    }
}
#endif
