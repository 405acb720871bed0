/// An opaque color of 8-bit full-range RGB, as sRGB's codes.
public struct RGBColor: Sendable, Hashable {
    /// 0 to 255.
    public let red: UInt8
    /// 0 to 255.
    public let green: UInt8
    /// 0 to 255.
    public let blue: UInt8

    /// Makes a color of its three codes.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// All codes 0.
    public static let black = RGBColor(red: 0, green: 0, blue: 0)
    /// All codes 255.
    public static let white = RGBColor(red: 255, green: 255, blue: 255)
}
