/// A name that equals another only if the bytes are equal. `String` considers `é` as one character and as two equal; to
/// a file system, they are two files.
package struct ExactName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ExactName, other: ExactName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        // A name's characters can be encoded in several ways; its bytes are unique.
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
