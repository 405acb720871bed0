internal import Foundation

/// The formulas of BT.2100, BT.2390, BT.2087 and sRGB in binary64, apart from the library's own code.
package enum HDRFormulas {
    /// BT.2100 table 4.
    package static func pqSignal(_ nits: Double) -> Double {
        let p = pow(nits / 10000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * p) / (1 + 18.6875 * p), 78.84375)
    }

    package static func pqNits(_ signal: Double) -> Double {
        let r = pow(signal, 1 / 78.84375)
        return 10000 * pow(max(r - 0.8359375, 0) / (18.8515625 - 18.6875 * r), 1 / 0.1593017578125)
    }

    /// BT.2100 table 5: the inverse OETF, and the OOTF for 1,000 nit.
    package static func hlgNits(_ signal: [Double]) -> [Double] {
        let scene = signal.map { $0 <= 0.5 ? $0 * $0 / 3 : (exp(($0 - 0.55991073) / 0.17883277) + 0.28466892) / 12 }
        let luminance = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2]
        return scene.map { 1000 * pow(luminance, 0.2) * $0 }
    }

    /// BT.2390's curve from a peak to 203 nit.
    package static func curve(_ nits: Double, peak: Double) -> Double {
        let ratio = pqSignal(203) / pqSignal(peak)
        guard ratio < 1 else { return min(nits, 203) }
        let knee = 1.5 * ratio - 0.5
        let e = min(pqSignal(nits) / pqSignal(peak), 1)
        if e <= knee { return nits }
        let t = (e - knee) / (1 - knee)
        let spline =
            (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
            + (-2 * t * t * t + 3 * t * t) * ratio
        return pqNits(spline * pqSignal(peak))
    }

    /// Light of BT.2020 in BT.709's primaries (BT.2087's matrix with more digits than are printed
    /// there: near the gamut's edge the fourth matters), saturation taken away until it fits.
    package static func narrowed(_ c: [Double]) -> [Double] {
        let matrix = [
            [1.6604910, -0.5876411, -0.0728499], [-0.1245505, 1.1328999, -0.0083494],
            [-0.0181508, -0.1005789, 1.1187297],
        ]
        let out = matrix.map { $0[0] * c[0] + $0[1] * c[1] + $0[2] * c[2] }
        let gray = min(max(0.2126 * out[0] + 0.7152 * out[1] + 0.0722 * out[2], 0), 1)
        var share = 1.0
        for value in out where value < 0 { share = min(share, gray / (gray - value)) }
        for value in out where value > 1 { share = min(share, (1 - gray) / (value - gray)) }
        // Never a hair below 0, of which there is no power.
        return out.map { max(gray + ($0 - gray) * share, 0) }
    }

    /// sRGB codes of light in nit, red, green and blue of BT.2020.
    package static func shown(nits: [Double], peak: Double) -> [Double] {
        let brightest = nits.max() ?? 0
        let gain = brightest > 0 ? curve(brightest, peak: peak) / brightest / 203 : 0
        return narrowed(nits.map { $0 * gain }).map { light in
            255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
        }
    }
}
