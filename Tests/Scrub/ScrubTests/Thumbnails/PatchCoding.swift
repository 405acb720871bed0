import Foundation
import Scrub
import ScrubTestSupport
import Testing

/// The coding of flat patches, and the look of their codes by the standards. They are computed in binary64 from the
/// recommendations' formulas, apart from the library's own code.
struct PatchCoding: Sendable, CustomTestStringConvertible {
    enum Light: String, Sendable {
        /// Shown as it is: the primaries of 525 and 625 lines and of BT.709 are not told apart, as in viewers.
        case plain = "bt709"
        /// SDR with BT.2020's primaries.
        case wide = "bt2020-10"
        case pq = "smpte2084"
        case hlg = "arib-std-b67"
    }

    var name: String
    var matrix: String
    var isFullRange: Bool
    var bits: Int
    var light = Light.plain
    /// The greatest luminance of the source in nit; 1,000 where nothing says.
    var peak = 1000.0

    var testDescription: String { name }

    /// Kr and Kb (ITU-T H.273 Table 4).
    private var weights: (red: Double, blue: Double) {
        switch matrix {
        case "bt709": (0.2126, 0.0722)
        case "bt2020nc": (0.2627, 0.0593)
        default: (0.299, 0.114)
        }
    }

    static let all = [
        PatchCoding(name: "BT.601 525 limited", matrix: "smpte170m", isFullRange: false, bits: 8),
        PatchCoding(name: "BT.601 625 limited", matrix: "bt470bg", isFullRange: false, bits: 8),
        PatchCoding(name: "BT.601 525 full", matrix: "smpte170m", isFullRange: true, bits: 8),
        PatchCoding(name: "BT.601 625 limited, 10 bits", matrix: "bt470bg", isFullRange: false, bits: 10),
        PatchCoding(name: "BT.709 limited", matrix: "bt709", isFullRange: false, bits: 8),
        PatchCoding(name: "BT.709 full", matrix: "bt709", isFullRange: true, bits: 8),
        PatchCoding(name: "BT.709 limited, 10 bits", matrix: "bt709", isFullRange: false, bits: 10),
        PatchCoding(name: "BT.709 full, 10 bits", matrix: "bt709", isFullRange: true, bits: 10),
        PatchCoding(name: "BT.2020 limited", matrix: "bt2020nc", isFullRange: false, bits: 8, light: .wide),
        PatchCoding(name: "BT.2020 limited, 10 bits", matrix: "bt2020nc", isFullRange: false, bits: 10, light: .wide),
        PatchCoding(name: "BT.2020 full, 10 bits", matrix: "bt2020nc", isFullRange: true, bits: 10, light: .wide),
        PatchCoding(name: "PQ limited, 10 bits", matrix: "bt2020nc", isFullRange: false, bits: 10, light: .pq),
        PatchCoding(name: "PQ full, 10 bits", matrix: "bt2020nc", isFullRange: true, bits: 10, light: .pq),
        PatchCoding(name: "HLG limited, 10 bits", matrix: "bt2020nc", isFullRange: false, bits: 10, light: .hlg),
        PatchCoding(name: "HLG full, 10 bits", matrix: "bt2020nc", isFullRange: true, bits: 10, light: .hlg),
    ]

    private var primaries: String {
        light != .plain ? "bt2020" : matrix
    }

    var transfer: String { light == .plain && matrix != "bt709" ? "smpte170m" : light.rawValue }

    /// Returns ffmpeg's options that tag a stream, by its pictures: tags that only the encoder gets are not written
    /// since FFmpeg 7.
    ///
    /// - Parameter filter: the filter before.
    func tags(after filter: String = "null") -> [String] {
        let range = isFullRange ? "pc" : "tv"
        let colors = "colorspace=\(matrix):color_primaries=\(primaries):color_trc=\(transfer)"
        // The encoder is told the range all the same, or its pictures are converted where it asks for another.
        return ["-vf", "\(filter),setparams=range=\(range):\(colors)", "-color_range", range]
    }

    // MARK: Codes

    /// Black, the codes from black to white, and those between the extremes of a difference (H.273, 8.3).
    private var levels: (black: Double, luma: Double, chroma: Double) {
        let (maximum, step) = (Double(1 << bits - 1), Double(1 << (bits - 8)))
        return isFullRange ? (0, maximum, maximum) : (16 * step, 219 * step, 224 * step)
    }

    /// The stored codes of a signal, red, green and blue from 0 to 1.
    func codes(_ signal: [Double]) -> [Int] {
        let (kr, kb) = weights
        let (black, luma, chroma) = levels
        let middle = Double(128 << (bits - 8))
        let y = kr * signal[0] + (1 - kr - kb) * signal[1] + kb * signal[2]
        func code(_ value: Double) -> Int { Int(min(Double(1 << bits - 1), max(0, value.rounded()))) }
        return [
            code(black + luma * y), code(middle + chroma * (signal[2] - y) / (2 * (1 - kb))),
            code(middle + chroma * (signal[0] - y) / (2 * (1 - kr))),
        ]
    }

    /// The signal that stored codes mean, clipped to 0 to 1.
    func signal(_ codes: [Int]) -> [Double] {
        let (kr, kb) = weights
        let (black, luma, chroma) = levels
        let middle = Double(128 << (bits - 8))
        let (y, cb, cr) = (
            (Double(codes[0]) - black) / luma, (Double(codes[1]) - middle) / chroma,
            (Double(codes[2]) - middle) / chroma
        )
        let (red, blue) = (y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb)
        return [red, (y - kr * red - kb * blue) / (1 - kr - kb), blue].map { min(1, max(0, $0)) }
    }

    /// Returns the look of stored codes on an sRGB display, 0 to 255.
    func shown(_ codes: [Int]) -> [Double] {
        let signal = signal(codes)
        switch light {
        case .plain: return signal.map { 255 * $0 }
        case .wide: return HDRFormulas.narrowed(signal.map { pow($0, 2.4) }).map { 255 * pow($0, 1 / 2.4) }
        case .pq: return HDRFormulas.shown(nits: signal.map(HDRFormulas.pqNits), peak: peak)
        case .hlg: return HDRFormulas.shown(nits: HDRFormulas.hlgNits(signal), peak: 1000)
        }
    }
}
