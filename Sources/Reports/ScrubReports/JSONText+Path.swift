internal import ScrubFileIO
package import ScrubBase

extension JSONText {
    /// Adds a file's name under `file`. If it is not valid UTF-8, its bytes are also added in base64 under
    /// `fileBytes`, because JSON cannot represent it.
    package mutating func add(path: String) {
        add("file", SystemName.unicode(path))
        if SystemName.isEscaped(path) { add("fileBytes", PlainText.base64(SystemName.bytes(path))) }
    }
}
