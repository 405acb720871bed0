internal import ScrubFileIO
package import ScrubBase

extension JSONText {
    /// Adds a file's name under `file`. A name that is not valid UTF-8 also comes as its bytes in base64 under
    /// `fileBytes`, for JSON has no way to write it.
    package mutating func add(path: String) {
        add("file", SystemName.unicode(path))
        if SystemName.isEscaped(path) { add("fileBytes", PlainText.base64(SystemName.bytes(path))) }
    }
}
