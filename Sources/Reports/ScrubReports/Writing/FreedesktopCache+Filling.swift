package import ScrubBase
package import ScrubThumbnails

extension FreedesktopCache {
    /// Writes a file's thumbnails to the file managers' cache. A file without a usable picture shows its cover art, if
    /// there is any. Otherwise the failure is recorded, so that file managers do not try again.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - write: writes the thumbnails of the video below a folder, and returns the bytes of each.
    /// - Returns: the set, and the error that the cover art replaced.
    package static func fill(
        _ path: String, _ write: (_ root: String) throws(ScrubError) -> [Int]
    ) throws(ScrubError) -> (set: ThumbnailSets.Entry, replaced: ScrubError?) {
        guard let root = standardPath else {
            throw ScrubError(
                .unavailable, "the location of the cache folder is unknown", advice: "set HOME or XDG_CACHE_HOME")
        }
        func set(_ bytes: [Int]) -> ThumbnailSets.Entry {
            .init(profile: .freedesktop, folder: root, thumbnailCount: bytes.count, byteCount: bytes.reduce(0, +))
        }
        do throws(ScrubError) {
            return (set(try write(root)), nil)
        } catch {
            // Only errors of the file itself: after a full disk, a later attempt may succeed.
            guard error.code == .badData else { throw error }
            // A song with a cover has a picture to show.
            if let bytes = try? writeThumbnails(ofCoverIn: path, into: root) { return (set(bytes), error) }
            try noteFailure(of: path, in: root)
            throw error
        }
    }
}

extension ThumbnailSets.Profile {
    /// Throws if one of the profiles counts by an interval, for thumbnails that have none.
    package static func refuseUneven(
        _ profiles: [ThumbnailSets.Profile], advice: Wording
    ) throws(ScrubError) {
        let names = profiles.filter(\.needsInterval).map(\.rawValue)
        guard !names.isEmpty else { return }
        throw ScrubError.wrongRequest(
            "\(names.joined(separator: ", ")) can be made only with a constant interval, which scenes and single positions do not have",
            advice: advice)
    }
}
