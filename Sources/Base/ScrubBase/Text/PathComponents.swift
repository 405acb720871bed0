extension String {
    /// The components of a path, without empty ones.
    ///
    /// The path is split by bytes, as the system does. To Swift, a slash followed by a combining mark is one character,
    /// not a slash.
    package var pathComponents: [String] {
        utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The last component of a path, or the entire path if it has none.
    package var lastPathComponent: String { pathComponents.last ?? self }

    /// A path without its last component, up to and including the last slash; `nil` without a slash.
    package var pathOfFolder: String? {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: utf8[...$0], as: UTF8.self) }
    }
}
