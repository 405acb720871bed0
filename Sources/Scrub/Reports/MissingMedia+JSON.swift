package import ScrubBase
package import ScrubMedia

extension VideoAsset.MissingMedia {
    /// What JSON objects about a file say of it under `missing`, `null` where the container doesn't tell.
    package var json: JSONText {
        var line = JSONText()
        line.add("pictures", pictureCount)
        line.add("bytes", byteCount.map { .integer($0) } ?? .null)
        line.add("seconds", duration.map { .number($0.approximation) } ?? .null)
        return line
    }
}

extension JSONText {
    /// Says what a file promises and doesn't hold; nothing of a whole file.
    package mutating func add(missing: VideoAsset.MissingMedia?) {
        if let missing { add("missing", .object(missing.json)) }
    }
}
