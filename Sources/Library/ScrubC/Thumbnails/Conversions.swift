#if compiler(>=6.3)
internal import CScrub
internal import Scrub
internal import ScrubReports
internal import ScrubBase
internal import ScrubThumbnails

@c @implementation func scrub_convert_set(
    _ set: UnsafePointer<CChar>?, _ format: UnsafePointer<CChar>?, _ folder: UnsafePointer<CChar>?, _ flags: UInt32,
    _ quality: Int32, _ baseURL: UnsafePointer<CChar>?, _ json: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ count: UnsafeMutablePointer<Int>?, _ error: UnsafeMutablePointer<scrub_error>?
) -> scrub_status {
    let place = unsafe TextPlace(json, count)
    return unsafe answering(error) {
        let set = try unsafe CText.read(set, "the set")
        let name = try unsafe CText.read(format, "the format")
        let folder = try unsafe CText.read(folder, "the folder")
        guard let format = ThumbnailSets.Conversion.Format(rawValue: name) else {
            let names = ThumbnailSets.Conversion.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw ScrubError(.usage, "there is no format '\(name)'", advice: "use one of \(names)")
        }
        guard flags & ~UInt32(SCRUB_REPLACE | SCRUB_WAIT | SCRUB_COPY_ONLY) == 0 else {
            throw ScrubError.flags("the flags", flags)
        }
        let quality = try CNumber.count(quality, "quality", atMost: 100) ?? 90
        let report = try unsafe ThumbnailSets.convert(
            set, to: format, into: folder, baseURL: baseURL.map { unsafe CText.read($0) },
            quality: flags & UInt32(SCRUB_COPY_ONLY) == 0 ? quality : nil,
            waitsForOtherRuns: flags & UInt32(SCRUB_WAIT) != 0, replacesFiles: flags & UInt32(SCRUB_REPLACE) != 0)
        try place.store(report.json(of: set, in: folder, face: CallWords.face).text)
    }
}
#endif
