#if CommandLine
internal import ScrubBase
internal import Scrub

/// A file's name with a place for the frame's number, as in image sequences: `shot-%05d.png`.
///
/// Only the last part of a path may contain a number, so folders may be called `100%`; `%%` is a percent sign
/// everywhere.
struct NumberPattern {
    private let before: String
    private let after: String
    /// The minimum number of digits; `nil` for a name without a number.
    private let digits: Int?

    /// Whether the number is in the name.
    var hasNumber: Bool { digits != nil }

    /// - Throws: `usage` for any conversion other than one `%d` or `%05d`; `%%` is a percent sign.
    init(_ path: String) throws(ScrubError) {
        var (texts, digits) = ([""], Int?.none)
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        texts[0] += path[..<slash].replacing("%%", with: "%")
        var rest = path[slash...]
        while let sign = rest.firstIndex(of: "%") {
            texts[texts.count - 1] += rest[..<sign]
            rest = rest[rest.index(after: sign)...]
            if rest.first == "%" {
                texts[texts.count - 1] += "%"
                rest = rest.dropFirst()
                continue
            }
            let width = rest.prefix { ("0"..."9").contains($0) }
            rest = rest[width.endIndex...]
            // A width without a zero would be filled with spaces.
            guard rest.first == "d", width.isEmpty || width.first == "0", let number = Int("0" + width), number <= 18
            else {
                throw ScrubError.wrongRequest(
                    "'\(path)' contains a % that is not a placeholder for a number",
                    advice: "use %d or %05d for the frame number (at most %018d), and %% for a percent sign")
            }
            guard digits == nil else {
                throw ScrubError.wrongRequest(
                    "'\(path)' contains several placeholders for the frame number", advice: "use only one")
            }
            digits = max(1, number)
            texts.append("")
            rest = rest.dropFirst()
        }
        texts[texts.count - 1] += rest
        (before, after, self.digits) = (texts[0], texts.count > 1 ? texts[1] : "", digits)
    }

    /// Returns the path for a frame.
    func path(_ number: Int) -> String {
        before + (digits.map { PlainText.padded(number, to: $0) } ?? "") + after
    }
}
#endif
