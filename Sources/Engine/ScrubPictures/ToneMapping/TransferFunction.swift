internal import Glibc

/// Conversions from signal (0 to 1) to light and back.
enum TransferFunction {
    /// The maximum luminance of PQ, in nits (SMPTE ST 2084, 5.1; Rec. ITU-R BT.2100 table 4).
    static let pqPeak = 10_000.0

    // Rec. ITU-R BT.2100 table 4.
    private static let m1 = 2610.0 / 16384
    private static let m2 = 2523.0 / 4096 * 128
    private static let c1 = 3424.0 / 4096
    private static let c2 = 2413.0 / 4096 * 32
    private static let c3 = 2392.0 / 4096 * 32

    /// Returns the luminance in nits by PQ's EOTF (BT.2100 table 4).
    static func pqToNits(_ signal: Double) -> Double {
        let root = pow(max(signal, 0), 1 / m2)
        return pqPeak * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
    }

    /// Returns the signal by PQ's inverse EOTF (BT.2100 table 4).
    static func nitsToPQ(_ nits: Double) -> Double {
        let power = pow(max(nits, 0) / pqPeak, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }

    /// Returns scene light from 0 to 1 by HLG's inverse OETF (BT.2100 table 5).
    static func hlgToScene(_ signal: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
    }

    /// Returns the factor of HLG's OOTF for scene light, for a display of 1000 nits: `Ys ^ (gamma - 1)` with gamma 1.2
    /// (BT.2100 table 5, notes 5e and 5f).
    static func hlgSystemGain(_ luminance: Double) -> Double { pow(luminance, 0.2) }

    /// Returns the signal for scene light from 0 to 1 by HLG's OETF (BT.2100 table 5).
    static func sceneToHLG(_ light: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return light <= 1.0 / 12 ? (3 * max(light, 0)).squareRoot() : a * log(12 * light - b) + c
    }

    /// Returns the factor from display light, where 1 is the peak, back to scene light. The scene's luminance is the
    /// display's to the power of 1/1.2, and its gain is inverted.
    static func hlgInverseSystemGain(_ luminance: Double) -> Double { pow(luminance, -0.2 / 1.2) }

    /// Returns light by the reference EOTF of flat panels for SDR, with a black level of 0 (Rec. ITU-R BT.1886 annex
    /// 1).
    static func bt1886ToLight(_ signal: Double) -> Double { pow(signal, 2.4) }
    static func lightToBT1886(_ light: Double) -> Double { pow(light, 1 / 2.4) }

    /// Returns the sRGB signal for light (IEC 61966-2-1, 5.2).
    static func lightToSRGB(_ light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}

/// The curve that maps the highlights of a brighter display to a darker one (Rec. ITU-R BT.2390, 5.4.1), for displays
/// with a black level of 0.
///
/// Below a knee nothing changes; a Hermite spline in PQ's perceptual scale leads from there to the target's peak.
struct HighlightCurve {
    private let sourceSignal: Double
    /// The target's peak and the knee in the source's scale (BT.2390: maxLum and KS).
    private let peak: Double
    private let knee: Double

    /// - Parameters: the peaks of both displays in nits.
    init(sourcePeak: Double, targetPeak: Double) {
        sourceSignal = TransferFunction.nitsToPQ(sourcePeak)
        peak = TransferFunction.nitsToPQ(targetPeak) / sourceSignal
        knee = 1.5 * peak - 0.5
    }

    /// Returns the luminance on the target in nits.
    func callAsFunction(_ nits: Double) -> Double {
        let e1 = min(TransferFunction.nitsToPQ(nits) / sourceSignal, 1)
        guard peak < 1, e1 > knee else { return nits }
        let t = (e1 - knee) / (1 - knee)
        let (t2, t3) = (t * t, t * t * t)
        let e2 = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * peak
        return TransferFunction.pqToNits(e2 * sourceSignal)
    }
}
