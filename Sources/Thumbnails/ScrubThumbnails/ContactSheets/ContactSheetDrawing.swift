internal import ScrubPictures

/// A contact sheet for people: pictures with their times below a header that describes the video.
///
/// It is drawn as SVG. With embedded pictures, the SVG is a standalone file, drawn with the viewer's fonts. Without
/// them, ``ContactSheetPainter`` renders it to pixels.
struct ContactSheetDrawing {
    /// A picture on the sheet.
    struct Cell {
        /// The picture as JPEG; empty if the frame cannot be decoded.
        var jpeg: [UInt8]
        /// The label, at the left below the picture, or at the right on the picture.
        var label: String
        /// The note at the opposite side.
        var note: String
        /// Lines of small text below the label and the note.
        var details: [String] = []
        /// Whether the cell is highlighted.
        var isMarked = false
    }

    /// The position of a picture's text relative to the picture.
    enum Words {
        case below, inside, nowhere
    }

    /// A rectangle in whole pixels.
    struct Box: Hashable {
        var x: Int
        var y: Int
        var width: Int
        var height: Int
    }

    let title: String
    /// Facts about the video, one line each.
    let facts: [String]
    let cells: [Cell]
    let size: PictureSize
    private let columns: Int
    private let words: Words
    private let gap: Int
    private let margin: Int
    /// The width of the whole sheet.
    let width: Int
    let height: Int

    private static let label = 22
    private static let line = 14
    private static let factLine = 20

    /// Creates a drawing.
    ///
    /// - Parameters:
    ///   - facts: facts about the video.
    ///   - columns: the number of columns; `nil` for four, or six for upright pictures.
    ///   - width: the width of the sheet, at least that of the pictures with their gaps.
    init(
        title: String, facts: [String], cells: [Cell], size: PictureSize, columns: Int? = nil, words: Words = .below,
        width: Int? = nil
    ) {
        (self.title, self.cells, self.size, self.words) = (title, cells, size, words)
        let columns = columns ?? max(1, min(cells.count, size.width >= size.height ? 4 : 6))
        self.columns = columns
        gap = words == .below ? 12 : ContactSheetDrawing.gap
        let content = columns * (size.width + gap) - gap
        let border = words == .below ? 24 : ContactSheetDrawing.margin
        self.width = max(content + 2 * border, width ?? 0)
        margin = (self.width - content) / 2
        self.facts = facts.flatMap { ContactSheetDrawing.wrapped($0, fontSize: 14, width: content) }
        let rows = (cells.count + columns - 1) / columns
        let lines = cells.map(\.details.count).max() ?? 0
        let below = words == .below ? ContactSheetDrawing.label + lines * ContactSheetDrawing.line : 0
        stepY = size.height + below + gap
        head = 52 + self.facts.count * ContactSheetDrawing.factLine
        height = head + rows * stepY - gap + border
    }

    /// The spacing between and around pictures that have their text inside, in pixels.
    static let (gap, margin) = (8, 16)

    private let stepY: Int
    private let head: Int

    private func origin(_ number: Int) -> (x: Int, y: Int) {
        (margin + number % columns * (size.width + gap), head + number / columns * stepY)
    }

    /// Returns the position of a picture.
    func place(_ number: Int) -> Box {
        let (x, y) = origin(number)
        return Box(x: x, y: y, width: size.width, height: size.height)
    }

    /// Returns the boxes with text that are drawn over a picture.
    func boxes(_ number: Int) -> [Box] {
        guard words == .inside else { return [] }
        let (cell, (x, y)) = (cells[number], origin(number))
        let time = box(cell.label)
        guard time.width <= size.width, time.height <= size.height else { return [] }
        var boxes = [
            Box(
                x: x + size.width - time.width, y: y + size.height - time.height, width: time.width, height: time.height
            )
        ]
        let frame = box(cell.note)
        if time.width + frame.width + 8 <= size.width {
            boxes.append(Box(x: x, y: y + size.height - frame.height, width: frame.width, height: frame.height))
        }
        return boxes
    }

    /// The font size: as large as the picture allows, but large enough to be legible.
    private var wordSize: Int { min(15, max(9, size.width / 22)) }

    private func box(_ text: String) -> (width: Int, height: Int) {
        (Int(ContactSheetDrawing.length(text, fontSize: wordSize)) + wordSize, wordSize + wordSize / 2)
    }

    /// The drawing as a file, with embedded pictures.
    var svg: String { drawing(hasPictures: true) }

    /// The drawing without the pictures.
    var ground: String { drawing(hasPictures: false) }

    private func drawing(hasPictures: Bool) -> String {
        let pictures = cells.indices.map { self.cell($0, hasPicture: hasPictures) }.joined(separator: "\n")
        let heading = ContactSheetDrawing.cut(title, fontSize: 20, width: width - 2 * margin)
        let lines = facts.enumerated().map { number, text in
            "<text x=\"\(margin)\" y=\"\(54 + number * ContactSheetDrawing.factLine)\" class=\"facts\">\(PlainText.markup(text))</text>"
        }.joined(separator: "\n")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
            <style>
            text{font:14px system-ui,sans-serif;fill:#222;font-variant-numeric:tabular-nums}
            .title{font-size:20px;font-weight:600}
            .facts,.note{fill:#666}
            .note{text-anchor:end}
            .detail{font-size:11px;fill:#777}
            .word{font-size:\(wordSize)px;fill:#fff;text-anchor:middle}
            </style>
            <rect width="100%" height="100%" fill="#fafafa"/>
            <text x="\(margin)" y="32" class="title">\(PlainText.markup(heading))</text>
            \(lines)
            \(pictures)
            </svg>

            """
    }

    private func cell(_ number: Int, hasPicture: Bool) -> String {
        let (cell, (x, y)) = (cells[number], origin(number))
        var text =
            "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(size.width)\" height=\"\(size.height)\" fill=\"#ddd\"/>"
        if hasPicture, !cell.jpeg.isEmpty {
            text =
                "<image x=\"\(x)\" y=\"\(y)\" width=\"\(size.width)\" height=\"\(size.height)\" href=\"data:image/jpeg;base64,\(PlainText.base64(cell.jpeg))\"/>\n"
        }
        let (label, note) = (PlainText.markup(cell.label), PlainText.markup(cell.note))
        guard words == .below else {
            let boxes = boxes(number)
            // The file contains the time and the frame number even if there is no room to show them.
            for (place, word) in [label, note].enumerated() {
                guard place < boxes.count else {
                    text += "<text display=\"none\">\(word)</text>"
                    continue
                }
                let box = boxes[place]
                text +=
                    "<rect x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" height=\"\(box.height)\" fill=\"#111\"/>"
                    + "<text x=\"\(box.x + box.width / 2)\" y=\"\(box.y + wordSize + wordSize / 8)\" class=\"word\">\(word)</text>"
            }
            return text
        }
        return text + """
            <text x="\(x)" y="\(y + size.height + 16)">\(label)</text>
            <text x="\(x + size.width)" y="\(y + size.height + 16)" class="note">\(note)</text>
            """ + details(cell, x, y + size.height + ContactSheetDrawing.label) + (cell.isMarked ? mark(x, y) : "")
    }

    private func details(_ cell: Cell, _ x: Int, _ y: Int) -> String {
        cell.details.enumerated().map { number, text in
            "<text x=\"\(x)\" y=\"\(y + 6 + number * ContactSheetDrawing.line)\" class=\"detail\">\(PlainText.markup(text))</text>"
        }.joined()
    }

    private func mark(_ x: Int, _ y: Int) -> String {
        "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(size.width)\" height=\"\(size.height)\" fill=\"none\" stroke=\"#e06000\" stroke-width=\"5\"/>"
    }
}

extension ContactSheetDrawing {
    /// Returns the length of a text in pixels. It is approximate, because the viewer's fonts are unknown. Ideographs
    /// count as squares.
    private static func length(_ text: String, fontSize: Int) -> Double {
        text.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2E80 ? 1 : 0.64) * Double(fontSize) }
    }

    /// Returns a name shortened in the middle, so that its end with the file extension is kept.
    private static func cut(_ text: String, fontSize: Int, width: Int) -> String {
        guard length(text, fontSize: fontSize) > Double(width) else { return text }
        var (head, tail) = (text.dropLast(min(12, text.count / 3)), text.suffix(min(12, text.count / 3)))
        while length(head + "…" + tail, fontSize: fontSize) > Double(width), !head.isEmpty || !tail.isEmpty {
            if head.isEmpty { tail.removeFirst() } else { head.removeLast() }
        }
        return head + "…" + tail
    }

    /// Returns facts wrapped into lines. A part is split between words only if it does not fit on a line. A word is cut
    /// only if it does not fit on a line by itself.
    private static func wrapped(_ text: String, fontSize: Int, width: Int) -> [String] {
        let dot = " \u{B7} "
        var lines: [String] = []
        func add(_ part: Substring, after separator: String) {
            guard let last = lines.last, length(last + separator + part, fontSize: fontSize) <= Double(width) else {
                return lines.append(cut(String(part), fontSize: fontSize, width: width))
            }
            lines[lines.count - 1] = last + separator + part
        }
        for part in text.split(separator: dot) {
            if length(String(part), fontSize: fontSize) <= Double(width) {
                add(part, after: dot)
            } else {
                for (place, word) in part.split(separator: " ").enumerated() {
                    add(word, after: place == 0 ? dot : " ")
                }
            }
        }
        return lines
    }
}
