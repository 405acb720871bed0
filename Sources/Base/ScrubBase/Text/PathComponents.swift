extension String {
    /// The names between the slashes of a path, without empty ones.
    ///
    /// By bytes, as the system does it: to Swift, a slash and a combining mark after it are one character, and no
    /// slash.
    package var pathComponents: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The last name of a path; the whole of it when it has none.
    package var lastPathComponent: String { pathComponents.last ?? self }

    /// A path without its last name: up to the last slash and with it; `nil` without a slash.
    package var pathOfFolder: String? {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: utf8[...$0], as: UTF8.self) }
    }
}
