/// A name that is another one's equal only if its bytes are. To `String`, `é` in one character and in two are the same;
/// to a file system they are two files.
package struct ExactName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: ExactName, other: ExactName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        // A name's characters are many ways of writing it, its bytes are one.
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
