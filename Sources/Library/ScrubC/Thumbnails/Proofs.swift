#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubReports
internal import ScrubMedia
internal import ScrubBase
internal import ScrubThumbnails

@c @implementation func scrub_verify(
    _ video: OpaquePointer?, _ orders: UnsafePointer<CChar>?, _ sample: Int64,
    _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let all = VideoAsset.VerificationOrder.allCases
        let words = unsafe orders.map { unsafe CText.read($0) }
        guard let chosen = words.map({ VideoAsset.VerificationOrder.named($0) }) ?? all else {
            let names = all.map(\.rawValue).joined(separator: ", ")
            throw ScrubError(
                .usage, "'\(words ?? "")' is not a list of orders",
                advice: "use one or more of \(names), separated by commas")
        }
        let sample = try sampleCount(sample)
        try video.alone { progress in
            let asset = video.asset
            let report = try asset.verify(
                orders: chosen, sample: sample.map { $0 == 0 ? asset.frames.count : $0 }, progress: { progress.set($0) }
            )
            var line = report.json(of: asset, film: asset.path)
            line.add(missing: asset.missingMedia)
            line.add(network: asset.networkCost)
            try place.store(line.text)
            guard report.faults.isEmpty else { throw ScrubError.wrongPictures(report.faults.count).inFile(asset.path) }
        }
    }
}

@c @implementation func scrub_check_determinism(
    _ video: OpaquePointer?, _ sample: Int64, _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let sample = try sampleCount(sample)
        // The processes of a sandbox choose their own instructions.
        guard !MediaSandbox.isOn else {
            throw ScrubError(
                .usage, "determinism cannot be checked in a sandbox", file: video.asset.path,
                advice: "call scrub_check_determinism before scrub_begin_sandbox, or in another process")
        }
        try video.alone { progress in
            let asset = video.asset
            let number = sample == 0 ? asset.frames.count : sample ?? 200
            let report = try asset.checkDeterminism(numbers: asset.spread(number), progress: { progress.set($0) })
            try place.store(report.json.text)
            guard report.differences.isEmpty else {
                throw ScrubError.wrongPictures(report.differences.count).inFile(asset.path)
            }
        }
    }
}

/// How many frames are compared, as C says it; `nil` for the default, 0 for all.
private func sampleCount(_ sample: Int64) throws(ScrubError) -> Int? {
    guard (-1...100_000_000).contains(sample) else {
        throw ScrubError(.usage, "the sample is \(sample)", advice: "give 1 to 100000000, 0 for all, or -1")
    }
    return sample < 0 ? nil : Int(sample)
}

@c @implementation func scrub_verify_sets(
    _ video: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ sample: UInt32, _ numerator: Int64,
    _ denominator: Int64, _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let video = try unsafe Handles.video(video)
        let folder = try unsafe CText.read(folder, "the folder")
        let sample = try CNumber.count(Int32(clamping: sample), "sample", atMost: 1_000_000) ?? 24
        let interval = try CNumber.seconds(numerator, denominator, "interval")
        try video.alone { progress in
            let result = try video.asset.verifyThumbnailSets(
                in: folder, sample: sample, jellyfinInterval: interval
            ) { progress.set($0) }
            try place.store(result.json(folder: folder, film: video.asset.path).text)
            try result.check(folder: folder)
        }
    }
}
#endif
