/// Percent-encoding in addresses (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Returns the bytes of a text with its percent sequences decoded.
    ///
    /// - Parameter keepsBroken: whether a percent sign that does not begin a sequence is kept, as in `42%`.
    /// - Returns: the bytes; `nil` if there is such a sign and it must not be kept.
    package static func bytes(of text: some StringProtocol, keepsBroken: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                guard byte != UInt8(ascii: "%") || keepsBroken else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }
}
