internal import ScrubPictures

/// A contact sheet for people: pictures with their times under a head that says what the film is. SVG with the pictures
/// inside, so that the letters are those of whoever looks at it.
struct ContactSheet {
    /// A picture on the sheet.
    struct Cell {
        var jpeg: [UInt8]
        /// Below it, on the left.
        var label: String
        /// Below it, on the right.
        var note: String
        /// Small lines below that.
        var details: [String] = []
        /// Whether it is to catch the eye.
        var isMarked = false
    }

    let title: String
    /// What the film is, in one line.
    let facts: String
    let cells: [Cell]
    let size: PictureSize

    private static let gap = 12
    private static let margin = 24
    private static let head = 72
    private static let label = 22
    private static let line = 14

    var svg: String {
        let columns = max(1, min(cells.count, size.width >= size.height ? 4 : 6))
        let rows = (cells.count + columns - 1) / columns
        let lines = cells.map(\.details.count).max() ?? 0
        let (stepX, stepY) = (
            size.width + ContactSheet.gap,
            size.height + ContactSheet.label + lines * ContactSheet.line + ContactSheet.gap
        )
        let width = 2 * ContactSheet.margin + columns * stepX - ContactSheet.gap
        let height = ContactSheet.margin + ContactSheet.head + rows * stepY
        let pictures = cells.enumerated().map { number, cell in
            let (x, y) = (
                ContactSheet.margin + number % columns * stepX, ContactSheet.head + number / columns * stepY
            )
            return """
                <image x="\(x)" y="\(y)" width="\(size.width)" height="\(size.height)" href="data:image/jpeg;base64,\(PlainText.base64(cell.jpeg))"/>
                <text x="\(x)" y="\(y + size.height + 16)">\(PlainText.markup(cell.label))</text>
                <text x="\(x + size.width)" y="\(y + size.height + 16)" class="note">\(PlainText.markup(cell.note))</text>
                """ + details(cell, x, y + size.height + ContactSheet.label) + (cell.isMarked ? mark(x, y) : "")
        }.joined(separator: "\n")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
            <style>
            text{font:14px system-ui,sans-serif;fill:#222;font-variant-numeric:tabular-nums}
            .title{font-size:20px;font-weight:600}
            .facts,.note{fill:#777}
            .note{text-anchor:end}
            .detail{font-size:11px;fill:#777}
            </style>
            <rect width="100%" height="100%" fill="#fafafa"/>
            <text x="\(ContactSheet.margin)" y="32" class="title">\(PlainText.markup(title))</text>
            <text x="\(ContactSheet.margin)" y="54" class="facts">\(PlainText.markup(facts))</text>
            \(pictures)
            </svg>

            """
    }

    private func details(_ cell: Cell, _ x: Int, _ y: Int) -> String {
        cell.details.enumerated().map { number, text in
            "<text x=\"\(x)\" y=\"\(y + 6 + number * ContactSheet.line)\" class=\"detail\">\(PlainText.markup(text))</text>"
        }.joined()
    }

    private func mark(_ x: Int, _ y: Int) -> String {
        "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(size.width)\" height=\"\(size.height)\" fill=\"none\" stroke=\"#e06000\" stroke-width=\"5\"/>"
    }
}

extension Rational {
    /// A time in seconds as people read it, to the millisecond that has begun.
    var clock: String { PlainText.clock(milliseconds: Int(clamping: scaledDown(1000))) }
}
