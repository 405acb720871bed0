internal import ScrubFileIO
internal import ScrubBase

/// Web pages in place of a video: servers send them in place of a missing file, and browsers may save a player's page.
enum WebPage {
    /// Returns the error for a file that begins like HTML; `nil` for other files.
    static func refusal(of file: MediaSource) -> ScrubError? {
        let count = Int(min(file.byteCount, 512))
        guard count > 0, let head = try? file.read(at: 0, count: count), isWebPage(head) else { return nil }
        return ScrubError(
            .badData, "is a web page, not a video",
            advice: "open the video itself; the address of a login page or share link is not that of the video")
    }

    /// Returns whether bytes begin with a tag with which pages begin, after a byte order mark, spaces, and comments
    /// (WHATWG MIME Sniffing, 7.1).
    static func isWebPage(_ head: [UInt8]) -> Bool {
        var rest = head[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        while true {
            rest = rest.drop { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
            guard rest.starts(with: Array("<!--".utf8)) else { break }
            // A comment that extends beyond the bytes that were read counts as a page: no container begins like that.
            guard let end = rest.indices.dropLast(2).first(where: { rest[$0...].starts(with: Array("-->".utf8)) })
            else { return true }
            rest = rest[(end + 3)...]
        }
        return ["<!doctype html", "<html", "<head", "<body"].contains { name in
            guard rest.count > name.utf8.count else { return false }
            let tag = rest.prefix(name.utf8.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            // The next byte ends the name: `<header` is a different tag.
            return tag.elementsEqual(name.utf8)
                && [0x20, 0x3E, 0x09, 0x0A, 0x0D].contains(rest[rest.startIndex + tag.count])
        }
    }
}
