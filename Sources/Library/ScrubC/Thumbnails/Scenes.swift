#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubReports
internal import ScrubMedia
internal import ScrubBase
internal import ScrubThumbnails
internal import Glibc

@c @implementation func scrub_find_scenes(
    _ video: OpaquePointer?, _ options: UnsafePointer<scrub_scene_options>?,
    _ scenes: UnsafeMutablePointer<UnsafeMutablePointer<scrub_scene>?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    unsafe scenes?.pointee = nil
    unsafe count?.pointee = 0
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        guard let scenes = unsafe scenes, let count = unsafe count else {
            throw ScrubError.null("the pointer to the scenes")
        }
        let said = try unsafe SizedCopy.value(options)
        guard said.flags & ~UInt32(SCRUB_KEYFRAMES | SCRUB_BLANK_SCENES) == 0 else {
            throw ScrubError.flags("scrub_scene_options.flags", said.flags)
        }
        var wanted = VideoScene.Options()
        wanted.maximumSceneCount = try CNumber.count(
            Int32(clamping: said.count), "scrub_scene_options.count", atMost: 100_000, zero: "no limit")
        wanted.threadCount = try CNumber.count(said.threads, "scrub_scene_options.threads", atMost: 256)
        wanted.minimumDuration =
            try CNumber.seconds(said.shortest_num, said.shortest_den, "scrub_scene_options.shortest", takesZero: true)
            ?? .one
        wanted.isExact = said.flags & UInt32(SCRUB_KEYFRAMES) == 0
        wanted.includesBlank = said.flags & UInt32(SCRUB_BLANK_SCENES) != 0
        if said.threshold != 0 {
            guard (0.01...1).contains(said.threshold) else {
                throw ScrubError(
                    .usage, "scrub_scene_options.threshold is \(said.threshold)", advice: "use 0.01 to 1, or 0")
            }
            wanted.threshold = said.threshold
        }
        try video.alone { progress in
            let asset = video.asset
            let rows = SceneRow.rows(
                try asset.sceneReport(options: wanted, progress: { progress.set($0) }).scenes, of: asset)
            let byteCount = max(1, rows.count) * MemoryLayout<scrub_scene>.stride
            guard let memory = unsafe malloc(byteCount)?.assumingMemoryBound(to: scrub_scene.self) else {
                throw ScrubError(.unavailable, "\(byteCount) bytes of memory could not be allocated")
            }
            for (place, row) in rows.enumerated() {
                unsafe memory[place] = scrub_scene(
                    start_num: row.start.numerator, start_den: row.start.denominator, end_num: row.end.numerator,
                    end_den: row.end.denominator, first_frame: Int64(row.frames.lowerBound),
                    last_frame: Int64(row.frames.upperBound), frame: Int64(row.frame), strength: row.scene.strength)
            }
            unsafe scenes.pointee = memory
            unsafe count.pointee = rows.count
        }
    }
}
#endif
