/// A reader of contact sheets: ``ContactSheetDrawing``'s own SVG, with embedded pictures.
enum ContactSheetFile {
    /// Returns the pictures with the text below them; `nil` if it is another kind of SVG.
    ///
    /// - Throws: `badData` if a picture is not followed by its time and its frame.
    static func set(_ file: String, _ bytes: [UInt8]) throws(ScrubError) -> ParsedThumbnailSet? {
        var scanner = Scanner(bytes: bytes)
        var set = ParsedThumbnailSet(file: file, format: "contact")
        while scanner.skip(past: "<image ") {
            let number = set.tiles.count
            guard scanner.skip(past: "href=\"data:image/jpeg;base64,"), let picture = scanner.text(until: "\""),
                let jpeg = decoded(picture), scanner.skip(past: "<text "), scanner.skip(past: ">"),
                let label = scanner.text(until: "<"), scanner.skip(past: "<text "), scanner.skip(past: ">"),
                let note = scanner.text(until: "<")
            else {
                throw ScrubError(.badData, "picture \(number) is not a complete JPEG with two lines of text below it")
            }
            let words = String(decoding: label, as: UTF8.self).split(separator: " ")
            var tile = ParsedThumbnailSet.Tile(place: .inline(jpeg), start: .zero, end: .zero)
            if words.count == 2, words[0] == "frame", let frame = Int(words[1]) {
                // Sheets of poster candidates have scores on the right.
                tile.frame = frame
            } else if words.count == 1, let time = seconds(words[0]),
                let frame = Int(String(decoding: note, as: UTF8.self))
            {
                (tile.start, tile.end, tile.time, tile.frame) = (time, time, time, frame)
            } else {
                throw ScrubError(.badData, "picture \(number) has neither a time nor a frame number below it")
            }
            set.tiles.append(tile)
        }
        return set.tiles.isEmpty ? nil : set
    }

    /// Returns a time in the form of ``PresentedFrame/timeText``; sheets of earlier releases always have hours.
    private static func seconds(_ text: Substring) -> Rational? {
        text.contains(":") && text.contains(".") ? (try? FramePosition(String(text)))?.writtenTime : nil
    }

    /// Decodes base64 (RFC 4648, section 4).
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8.enumerated() {
            values[Int(letter)] = UInt8(value)
        }
        guard !text.isEmpty, text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        var out: [UInt8] = []
        out.reserveCapacity(text.count / 4 * 3)
        var (word, bits) = (UInt32(0), 0)
        for letter in text.dropLast(padding) {
            let value = values[Int(letter)]
            guard value != 0xFF else { return nil }
            word = word << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                out.append(UInt8(truncatingIfNeeded: word >> bits))
            }
        }
        return out
    }

    private struct Scanner {
        let bytes: [UInt8]
        private var place = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        private func find(_ text: String) -> Int? {
            let wanted = Array(text.utf8)
            guard let first = wanted.first else { return place }
            var from = place
            while let start = bytes[from...].firstIndex(of: first) {
                if bytes[start...].starts(with: wanted) { return start }
                from = start + 1
            }
            return nil
        }

        mutating func skip(past text: String) -> Bool {
            guard let found = find(text) else { return false }
            place = found + text.utf8.count
            return true
        }

        mutating func text(until end: String) -> ArraySlice<UInt8>? {
            guard let found = find(end) else { return nil }
            defer { place = found }
            return bytes[place..<found]
        }
    }
}
