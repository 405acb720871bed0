/// The quality of a picture as a poster: a score in 0...1 for each ``PosterScores/Criterion``, and their total.
///
/// Thread safety: a value type.
public struct PosterScores: Hashable, Sendable {
    /// The reason why a picture is considered blank and is rejected regardless of its scores.
    public enum Blank: String, Sendable, CaseIterable {
        /// At least 98 % of the luma is at most 32.
        case black
        /// At least 98 % of the luma is at least 235.
        case white
        /// The standard deviations of red, green and blue are all below 6: one color, with some noise.
        case uniform

        /// The reason as a human-readable clause.
        public var reason: String {
            switch self {
            case .black: "nearly all of the picture is black"
            case .white: "nearly all of the picture is white"
            case .uniform: "the picture is one color"
            }
        }
    }

    /// The amount of fine detail; 1 is best. See ``PosterScores/Criterion/sharpness``.
    public let sharpness: Double
    /// How close the mean luma is to the middle, reduced by clipping; 1 is best. See
    /// ``PosterScores/Criterion/exposure``.
    public let exposure: Double
    /// The spread of the luma; 1 is best. See ``PosterScores/Criterion/contrast``.
    public let contrast: Double
    /// How colorful the picture is; 1 is best. See ``PosterScores/Criterion/colorfulness``.
    public let colorfulness: Double
    /// The entropy of the luma; 1 is best. See ``PosterScores/Criterion/entropy``.
    public let entropy: Double
    /// The share of the picture that is skin-colored foreground, as a hint that it shows people; 1 is best.
    /// ``PosterScores/Criterion/skin`` describes the limits of this criterion.
    public let skin: Double
    /// How clearly a single subject is separated from the background; 1 is best. See
    /// ``PosterScores/Criterion/subject``.
    public let subject: Double
    /// How close the picture is to black, white or one color; 0 is best. See ``PosterScores/Criterion/fade``.
    public let fade: Double
    /// The share of the picture that black bars cover; 0 is best. See ``PosterScores/Criterion/letterbox``.
    public let letterbox: Double
    /// A heuristic measure of burned-in text; 0 is best. See ``PosterScores/Criterion/text``.
    public let text: Double
    /// The reason why the picture is rejected, or `nil`.
    public let blank: Blank?

    /// Scores a picture. Pictures that are compared with each other must have the same size.
    ///
    /// Cost: one pass over the pixels for each criterion, and for the subject a bounded number of steps over at most 48
    /// x 48 cells.
    package init(_ image: PosterImage) { self.init(image, findingSubject: true) }

    /// Scores a picture.
    ///
    /// - Parameter findingSubject: whether to look for a subject. If false, ``subject`` and ``skin`` are 0, for callers
    ///   that only need ``blank``.
    init(_ image: PosterImage, findingSubject: Bool) {
        let whole = LumaPlane(image)
        let bars = BlackBars(whole)
        let shown = whole.cropped(to: bars.area)
        let (captions, title) = (CaptionMeasure.text(shown), TitleMeasure.title(shown))
        // Letters are sharp and high in contrast, but do not improve a dull picture.
        var letters = Set(captions.rows.joined()).union(title.rows)
        if 2 * letters.count > shown.height { letters = [] }
        let plane = shown.without(letters)
        let histogram = LumaHistogram(plane)
        let colors = ColorMeasures(image, in: bars.area, without: letters)
        sharpness = PictureMeasures.sharpness(plane)
        exposure = PictureMeasures.exposure(histogram)
        contrast = PictureMeasures.contrast(histogram)
        colorfulness = PictureMeasures.unit(colors.colorfulness / 109)
        entropy = PictureMeasures.entropy(histogram)
        // Detected lines of small letters are often false, such as a fence in front of a person; the penalty is
        // sufficient for them.
        let found =
            findingSubject ? SubjectMeasures(SubjectMap(image, in: bars.area, without: title.rows)) : .nothing
        (subject, skin) = (found.subject, found.skin)
        fade = PictureMeasures.fade(histogram, spread: colors.spread)
        letterbox = bars.share
        text = max(captions.score, title.score)
        blank =
            if histogram.percentile(98) <= 32 {
                .black
            } else if histogram.percentile(2) >= 235 {
                .white
            } else if colors.spread < 6 {
                .uniform
            } else {
                nil
            }
    }

    /// Whether the picture is blank: black, white or one color.
    public var isBlank: Bool { blank != nil }

    /// The score for a criterion.
    public subscript(criterion: PosterScores.Criterion) -> Double {
        switch criterion {
        case .sharpness: sharpness
        case .exposure: exposure
        case .contrast: contrast
        case .colorfulness: colorfulness
        case .entropy: entropy
        case .skin: skin
        case .subject: subject
        case .fade: fade
        case .letterbox: letterbox
        case .text: text
        }
    }

    /// The total in 0...1, computed as described for ``PosterScores/Criterion``; 0 if the picture is blank.
    public var score: Double { isBlank ? 0 : weighted }

    /// The total without rejection, which ranks the pictures of a video that has only blank ones.
    var weighted: Double {
        var (sum, factor) = (0.0, 1.0)
        for criterion in PosterScores.Criterion.allCases {
            if criterion.isPenalty {
                factor *= 1 - criterion.weight * self[criterion]
            } else {
                sum += criterion.weight * self[criterion]
            }
        }
        return PictureMeasures.unit(sum * factor)
    }
}
