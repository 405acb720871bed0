package import ScrubBase
package import ScrubThumbnails

extension ThumbnailSets.Verification {
    /// Returns the report for programs.
    ///
    /// - Parameters:
    ///   - folder: the folder of the sets.
    ///   - film: the film's name.
    package func json(folder: String, film: String) -> JSONText {
        var line = JSONText()
        line.add("folder", folder)
        line.add("file", film)
        line.add("valid", isSound)
        line.add(
            "sets",
            .array(
                sets.map { set in
                    var entry = JSONText()
                    entry.add("file", set.file)
                    entry.add("format", set.format)
                    entry.add("thumbnails", set.thumbnailCount)
                    entry.add("compared", set.comparedCount)
                    if let note = set.note { entry.add("note", note) }
                    return .object(entry)
                }))
        line.add(
            "problems",
            .array(
                problems.map { problem in
                    var entry = JSONText()
                    entry.add("file", problem.file)
                    entry.add("why", problem.reason)
                    return .object(entry)
                }))
        return line
    }

    /// Throws if the folder has no set, or a set is wrong.
    package func check(folder: String) throws(ScrubError) {
        if sets.isEmpty, problems.isEmpty {
            throw ScrubError(
                .noInput, "contains no thumbnail sets", file: folder,
                advice: "specify a folder with a strip, thumbnail sets or posters")
        }
        guard isSound else {
            throw ScrubError(
                .badData,
                "\(PlainText.amount(problems.count, "problem")) in \(PlainText.amount(sets.count, "set"))",
                file: folder,
                advice: "make the sets again from this video, or specify the video that they were made from")
        }
    }
}
