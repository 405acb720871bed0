/// What a picture is judged by. The order of the cases is the order of every report.
///
/// All are 0...1 and are taken between the black bars, except ``letterbox`` itself, and outside of rows of text, unless that
/// is half of the picture. "Luma" is that of BT.601 on the
/// coded values, 0...255; pN is its Nth percentile.
///
/// | criterion | role | ``weight`` | formula |
/// |---|---|---|---|
/// | sharpness | merit | 0.28 | v / (v + 400), v = variance of the luma's Laplacian |
/// | exposure | merit | 0.18 | (1 - ((mean - 127.5) / 127.5)²) · (1 - share of luma ≤ 8 or ≥ 247) |
/// | contrast | merit | 0.16 | (p95 - p5) / 204, at most 1 |
/// | colorfulness | merit | 0.16 | M / 109, at most 1 |
/// | entropy | merit | 0.17 | -Σ p·log2 p of the luma / 8 |
/// | skin | merit | 0.05 | share of skin-colored pixels / 0.25, at most 1 |
/// | fade | penalty | 0.80 | how near to black, white or one color |
/// | letterbox | penalty | 0.30 | area of the black bars / area of the picture |
/// | text | penalty | 0.40 | rows full of strokes, a guess |
///
/// The total is Σ weight · merit, and that times (1 - weight · penalty) for each penalty. The weights of the merits
/// add up to 1. They are judgments: what people pick needs looking at posters, and ``PosterScores/explanation`` is there
/// to see why one won.
public enum PosterCriterion: String, CaseIterable, Sendable {
    /// How much fine detail there is: the variance of the Laplacian (Pech-Pacheco et al., "Diatom autofocusing in
    /// brightfield microscopy", ICPR 2000), through v / (v + 400), so that 400 squared luma steps are 0.5.
    ///
    /// Noise is detail to it. It depends on the size: compare pictures of the same size only.
    case sharpness
    /// How near the mean is to the middle, less what is clipped to black or white. Night scenes score low.
    case exposure
    /// The spread of the luma from the 5th to the 95th percentile; 204 steps, 80 % of the range, are 1.
    case contrast
    /// M = √(σrg² + σyb²) + 0.3 √(μrg² + μyb²) with rg = R - G and yb = (R + G) / 2 - B (Hasler and Süsstrunk,
    /// "Measuring colourfulness in natural images", SPIE 5007, 2003), divided by 109, their "extremely colourful".
    case colorfulness
    /// The Shannon entropy of the luma's histogram of 256 values, in bits, divided by 8.
    case entropy
    /// A cheap hint of people: the share of pixels with Cb in 77...127 and Cr in 133...173 (Chai and Ngan, "Face
    /// segmentation using skin-color map in videophone applications", IEEE CSVT 9/4, 1999). A quarter of the picture
    /// is the cap.
    ///
    /// It sees no faces. Sand, wood, brick and sunsets are in the box; skin in colored, dim or overexposed light is
    /// not, and dark skin in dim light drops out first: a bias, for which the weight is small and nothing is ever
    /// rejected by it.
    case skin
    /// A fade or an empty picture: the greatest of 1 - p95 / 80 (dark), (p5 - 175) / 80 (light) and 1 - σ / 24
    /// (uniform), where σ is the greatest standard deviation of red, green and blue.
    case fade
    /// The share of the area under pairs of equal black bars at the top and bottom or at the sides.
    case letterbox
    /// Captions, titles or credits in the picture, by a heuristic that knows no letters: short bands of rows that are
    /// full of strong horizontal steps between quieter ones; those in the lower quarter count twice. Two full lines
    /// are 1. Large letters are known by their insides of one luma, up to half of the height. Fences and rows of windows may
    /// pass for text.
    case text

    /// Whether the criterion takes from the total.
    public var isPenalty: Bool {
        switch self {
        case .sharpness, .exposure, .contrast, .colorfulness, .entropy, .skin: false
        case .fade, .letterbox, .text: true
        }
    }

    /// The criterion's part of the total: of the sum for a merit, of the factor for a penalty.
    public var weight: Double {
        switch self {
        case .sharpness: 0.28
        case .exposure: 0.18
        case .contrast: 0.16
        case .colorfulness: 0.16
        case .entropy: 0.17
        case .skin: 0.05
        case .fade: 0.80
        case .letterbox: 0.30
        case .text: 0.40
        }
    }
}
