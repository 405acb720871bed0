package import ScrubBase
package import ScrubMedia

extension VideoAsset.MissingMedia {
    /// The value of `missing` in JSON objects about a file, `null` if the container does not provide it.
    package var json: JSONText {
        var line = JSONText()
        line.add("pictures", pictureCount)
        line.add("bytes", byteCount.map { .integer($0) } ?? .null)
        line.add("seconds", duration.map { .number($0.doubleValue) } ?? .null)
        return line
    }
}

extension JSONText {
    /// Adds the media that a file declares but does not contain; adds nothing for a complete file.
    package mutating func add(missing: VideoAsset.MissingMedia?) {
        if let missing { add("missing", .object(missing.json)) }
    }
}
