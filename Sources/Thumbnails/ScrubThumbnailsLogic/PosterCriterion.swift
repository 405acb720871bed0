extension PosterScores {
    /// The criteria for judging a picture. Reports list them in the order of the cases.
    ///
    /// All values are in 0...1. All criteria except ``letterbox`` are measured in the area between the black bars. Rows
    /// of text in this area are ignored, except for ``text``, unless they cover more than half of it. For ``skin`` and
    /// ``subject``, only rows of large letters are ignored. "Luma" means the BT.601 luma of the coded values, 0...255;
    /// pN is its Nth percentile.
    ///
    /// | criterion | role | ``weight`` | formula |
    /// |---|---|---|---|
    /// | sharpness | merit | 0.17 | v / (v + 400), v = variance of the luma's Laplacian |
    /// | exposure | merit | 0.12 | (1 - ((mean - 127.5) / 127.5)²) · (1 - share of luma ≤ 8 or ≥ 247) |
    /// | contrast | merit | 0.10 | (p95 - p5) / 204, at most 1 |
    /// | colorfulness | merit | 0.10 | M / 109, at most 1 |
    /// | entropy | merit | 0.11 | -Σ p·log2 p of the luma / 8 |
    /// | skin | merit | 0.15 | share of the picture that is subject and skin-colored / 0.04, at most 1 |
    /// | subject | merit | 0.25 | size · compactness · centering of the foreground |
    /// | fade | penalty | 0.80 | how close to black, white or one color |
    /// | letterbox | penalty | 0.30 | area of the black bars / area of the picture |
    /// | text | penalty | 0.40 | rows full of strokes, a heuristic |
    ///
    /// The total is Σ weight · merit, multiplied by (1 - weight · penalty) for each penalty. The weights of the merits
    /// add up to 1. All weights were chosen by inspecting the posters of 25 videos.
    public enum Criterion: String, CaseIterable, Sendable {
        /// The amount of fine detail: the variance of the luma's Laplacian (Pech-Pacheco et al., "Diatom autofocusing
        /// in brightfield microscopy", ICPR 2000). It is mapped with v / (v + 400), so that a variance of 400 scores
        /// 0.5.
        ///
        /// Noise counts as detail. The value depends on the size: compare only pictures of the same size.
        case sharpness
        /// How close the mean luma is to the middle, reduced by the share that is clipped to black or white. Night
        /// scenes score low.
        case exposure
        /// The spread of the luma from the 5th to the 95th percentile; 204 levels, 80 % of the range, score 1.
        case contrast
        /// M / 109, where 109 is "extremely colorful" (Hasler and Süsstrunk, "Measuring colorfulness in natural
        /// images", SPIE 5007, 2003). M = √(σrg² + σyb²) + 0.3 √(μrg² + μyb²) with rg = R - G and yb = (R + G) / 2 - B.
        case colorfulness
        /// The Shannon entropy of the luma's histogram of 256 values, in bits, divided by 8.
        case entropy
        /// A cheap hint of people: a part of the foreground (see ``subject``) that has the color of skin. Its Cb is in
        /// 77...127 and its Cr in 133...173 (Chai and Ngan, "Face segmentation using skin-color map in videophone
        /// applications", IEEE CSVT 9/4, 1999). Its green is 0.45 to 0.92 times its red, and its blue is below its
        /// green, which excludes saturated red and pink. The score reaches 1 at 4 % of the picture, a face at some
        /// distance. A brook or a wooden wall that extends to the edge is background and does not count.
        ///
        /// It does not detect faces. Wooden cups and oranges are mistaken for skin. Skin in colored, dim or overexposed
        /// light is missed, and dark skin in dim light is missed first. Because of this bias, the criterion never
        /// rejects a picture.
        case skin
        /// A single subject in front of a background, as a product of three factors. They are the share of the picture
        /// that is subject (a fifth is the cap), its compactness (compared with a disc of the same size; 0.3 is the
        /// cap), and its distance from the middle (1 - r² / 1.2, where r is 1 at the middle of an edge). The subject is
        /// the part that is separated from the picture's edge by outlines and is rare in color there (geodesic
        /// saliency: Wei, Wen, Zhu and Sun, ECCV 2012).
        ///
        /// It does not recognize objects: a stove may score higher than a dog, and a person who leans far out of the
        /// picture counts as background.
        case subject
        /// A fade or an empty picture: the maximum of 1 - p95 / 80 (dark), (p5 - 175) / 80 (light) and 1 - σ / 24
        /// (uniform), where σ is the greatest standard deviation of red, green and blue.
        case fade
        /// The share of the area under pairs of equal black bars at the top and bottom or at the sides.
        case letterbox
        /// Captions, titles or credits in the picture, detected by a heuristic without character recognition. It looks
        /// for short bands of rows that are full of strong horizontal steps between quieter ones; those in the lower
        /// quarter count twice. Two full lines score 1. Large letters, up to half of the height, are recognized by
        /// their interiors of uniform luma. Fences and rows of windows may be mistaken for text.
        case text

        /// Whether the criterion reduces the total.
        public var isPenalty: Bool {
            switch self {
            case .sharpness, .exposure, .contrast, .colorfulness, .entropy, .skin, .subject: false
            case .fade, .letterbox, .text: true
            }
        }

        /// The criterion's weight in the total: in the sum for a merit, in the factor for a penalty.
        public var weight: Double {
            switch self {
            case .sharpness: 0.17
            case .exposure: 0.12
            case .contrast: 0.10
            case .colorfulness: 0.10
            case .entropy: 0.11
            case .skin: 0.15
            case .subject: 0.25
            case .fade: 0.80
            case .letterbox: 0.30
            case .text: 0.40
            }
        }
    }
}
