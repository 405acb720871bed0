package import ScrubBase
package import ScrubThumbnails

extension ThumbnailSets.Conversion.Report {
    /// Returns the conversion for programs.
    ///
    /// - Parameters:
    ///   - set: the converted set, as named by the caller.
    ///   - folder: the output folder, as named by the caller.
    package func json(of set: String, in folder: String, face: Face) -> JSONText {
        var line = JSONText()
        line.add(path: set)
        line.add("folder", folder)
        line.add("files", .array(files.map { .string($0) }))
        line.add("encoded", encodedCount)
        line.add(warnings: warnings, face: face)
        return line
    }
}
