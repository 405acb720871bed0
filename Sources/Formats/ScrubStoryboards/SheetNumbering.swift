internal import ScrubBase

/// The common parts of the names of sheets: a prefix, a number that counts up, a suffix.
struct SheetNumbering {
    let prefix: String
    let suffix: String
    /// The minimum number of digits.
    let digits: Int
    /// The first number.
    let first: Int

    /// - Throws: ``ScrubError/Code/usage`` if the names are not consecutively numbered.
    init(_ names: [String]) throws(ScrubError) {
        // The last digits before the suffix: a name such as `320x180-7.jpg` has several.
        let bytes = Array((names.first ?? "").utf8)
        let base = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        let point = bytes[base...].lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
        let end = (bytes[base..<point].lastIndex { $0.digit != nil } ?? base - 1) + 1
        let start = (bytes[base..<end].lastIndex { $0.digit == nil } ?? base - 1) + 1
        let number = bytes[start..<end]
        prefix = String(decoding: bytes[..<start], as: UTF8.self)
        suffix = String(decoding: bytes[end...], as: UTF8.self)
        digits = number.first == UInt8(ascii: "0") ? number.count : 1
        first = Int(String(decoding: number, as: UTF8.self)) ?? -1
        for (place, name) in names.enumerated() {
            let (value, overflow) = first.addingReportingOverflow(place)
            guard first >= 0, !overflow,
                name.utf8.elementsEqual((prefix + PlainText.padded(value, to: digits) + suffix).utf8)
            else {
                throw ScrubError(
                    .usage,
                    "DASH needs consecutively numbered sheets, but '\(name)' is out of sequence at position \(place)",
                    advice: "name sheets like sheet-000.jpg, sheet-001.jpg")
            }
        }
    }
}
