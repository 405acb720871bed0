/// Helpers for the names of media, whether they are paths or network addresses. They use only the text, without
/// accessing the file system or the network.
extension String {
    /// Whether the text begins with `http://` or `https://`, in any case. Such text counts as an address wherever a
    /// video is named; all other text is a path. To name a file whose name begins this way, put `./` before it.
    package var isNetworkAddress: Bool { AddressText(self) != nil }

    /// An address without the user name and password, for people, logs and files. Other text is unchanged.
    package var withoutUserInformation: String {
        guard let address = AddressText(self), let user = address.user else { return self }
        return String(decoding: utf8[..<user.lowerBound], as: UTF8.self)
            + String(decoding: utf8[user.upperBound...], as: UTF8.self)
    }

    /// An address without user and fragment, and with only a mark for a query. The query may be a key that opens the
    /// medium, and messages end up in logs. Other text is unchanged.
    package var saidName: String {
        guard let address = AddressText(self) else { return self }
        let isAsking = address.path.upperBound < utf8.endIndex && utf8[address.path.upperBound] == UInt8(ascii: "?")
        return publicName + (isAsking ? "?\u{2026}" : "")
    }

    /// An address without user, query and fragment, for readers other than the caller, because the query may be a key
    /// that opens the medium. Other text is unchanged.
    package var publicName: String {
        let shown = withoutUserInformation
        guard let address = AddressText(shown) else { return self }
        return String(decoding: shown.utf8[..<address.path.upperBound], as: UTF8.self)
    }

    /// The last component of a path or of an address's path, decoded. For an address, the result is never empty and
    /// cannot lead out of a folder.
    package var mediumName: String {
        guard let address = AddressText(self) else { return lastPathComponent }
        let path = String(decoding: utf8[address.path], as: UTF8.self)
        guard let last = path.pathComponents.last else { return String(decoding: utf8[address.host], as: UTF8.self) }
        let name = AddressText.decoded(last)
        return name.isEmpty || name == "." || name == ".." ? String(decoding: utf8[address.host], as: UTF8.self) : name
    }
}

/// The ranges of an address's parts.
private struct AddressText {
    typealias Part = Range<String.UTF8View.Index>

    /// The user name and password, including the `@` after them.
    let user: Part?
    /// The host and port.
    let host: Part
    /// The path, starting with the slash; empty if there is none.
    let path: Part

    init?(_ text: String) {
        let bytes = text.utf8
        func begins(_ scheme: String) -> Bool {
            // Upper- and lowercase letters differ in only one bit; no other byte of the schemes has a variant that
            // matters.
            bytes.count >= scheme.utf8.count
                && zip(bytes, scheme.utf8).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 && (97...122).contains($1)) }
        }
        guard let scheme = ["https://", "http://"].first(where: begins) else { return nil }
        let start = bytes.index(bytes.startIndex, offsetBy: scheme.utf8.count)
        let isEnd: (UInt8) -> Bool = { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let end = bytes[start...].firstIndex(where: isEnd) ?? bytes.endIndex
        let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@"))
        user = at.map { start..<bytes.index(after: $0) }
        host = (user?.upperBound ?? start)..<end
        let last = bytes[end...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
        path = end..<last
    }

    /// Returns a percent-decoded name if the result is valid text and a valid name; otherwise, the name unchanged.
    static func decoded(_ name: String) -> String {
        var bytes: [UInt8] = []
        var rest = name.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return name }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") })
        else { return name }
        return text
    }
}
