/// Pictures in kitty's graphics protocol: the pixels themselves, in base64.
///
/// Two picture numbers alternate. The new picture is placed before the old one is deleted. This way, the place is never
/// empty, and terminals need not support changing a picture. Replies are turned off; otherwise, they would arrive as
/// keys. Pure.
struct KittyRenderer: Sendable {
    /// The maximum base64 characters in one piece.
    static let chunk = 4096
    private var number: UInt32 = 0
    private static let base: UInt32 = 0x5C_52_01

    /// Returns the bytes that draw a picture on the screen.
    ///
    /// - Precondition: the pixels have the layout's size.
    mutating func render(_ pixels: TerminalPixels, _ layout: TerminalLayout) -> [UInt8] {
        let old = number
        number = old == KittyRenderer.base ? KittyRenderer.base + 1 : KittyRenderer.base
        let count = pixels.width * pixels.height * 3
        var out: [UInt8] = []
        out.reserveCapacity(count * 4 / 3 + count / 256 + 256)
        out.escape("[\(layout.row + 1);\(layout.column + 1)H")
        // The bytes of a chunk: a multiple of three, so that only the last chunk is padded.
        let bytes = KittyRenderer.chunk / 4 * 3
        var place = 0
        repeat {
            let end = min(count, place + bytes)
            let more = end < count ? 1 : 0
            if place == 0 {
                out.escape(
                    "_Ga=T,f=24,s=\(pixels.width),v=\(pixels.height),i=\(number),p=1,q=2,C=1,c=\(layout.columns),r=\(layout.rows),m=\(more);"
                )
            } else {
                out.escape("_Gm=\(more),q=2;")
            }
            KittyRenderer.appendBase64(pixels.bytes[place..<end], to: &out)
            out.escape("\\")
            place = end
        } while place < count
        if old != 0 { out.escape("_Ga=d,d=I,i=\(old),q=2\u{1B}\\") }
        return TerminalText.synchronized(out)
    }

    /// Removes the picture.
    mutating func clear() -> [UInt8] {
        guard number != 0 else { return [] }
        defer { number = 0 }
        var out: [UInt8] = []
        out.escape("_Ga=d,d=I,i=\(number),q=2\u{1B}\\")
        return out
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func appendBase64(_ bytes: ArraySlice<UInt8>, to out: inout [UInt8]) {
        var place = bytes.startIndex
        while place + 3 <= bytes.endIndex {
            let word = UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2])
            for shift: UInt32 in [18, 12, 6, 0] { out.append(digits[Int(word >> shift & 63)]) }
            place += 3
        }
        let rest = bytes.endIndex - place
        guard rest > 0 else { return }
        let word = UInt32(bytes[place]) << 16 | (rest == 2 ? UInt32(bytes[place + 1]) << 8 : 0)
        out.append(digits[Int(word >> 18 & 63)])
        out.append(digits[Int(word >> 12 & 63)])
        out.append(rest == 2 ? digits[Int(word >> 6 & 63)] : UInt8(ascii: "="))
        out.append(UInt8(ascii: "="))
    }
}
