/// The quality of a picture as a poster, and its reasons: a number in 0...1 for each ``PosterScores/Criterion``, and
/// their total.
///
/// Thread safety: a value.
public struct PosterScores: Hashable, Sendable {
    /// Why a picture shows nothing and is rejected whatever its scores are.
    public enum Blank: String, Sendable, CaseIterable {
        /// 98 % of the luma is at most 32.
        case black
        /// 98 % of the luma is at least 235.
        case white
        /// Neither red nor green nor blue has a standard deviation of 6: one color, with some noise.
        case uniform

        /// The reason as a clause for people.
        public var reason: String {
            switch self {
            case .black: "nearly all of the picture is black"
            case .white: "nearly all of the picture is white"
            case .uniform: "the picture is one color"
            }
        }
    }

    /// Fine detail, see ``PosterScores/Criterion/sharpness``; 1 is best.
    public let sharpness: Double
    /// A mean in the middle and little clipped, see ``PosterScores/Criterion/exposure``; 1 is best.
    public let exposure: Double
    /// The spread of the luma, see ``PosterScores/Criterion/contrast``; 1 is best.
    public let contrast: Double
    /// Color, see ``PosterScores/Criterion/colorfulness``; 1 is best.
    public let colorfulness: Double
    /// The luma's entropy, see ``PosterScores/Criterion/entropy``; 1 is best.
    public let entropy: Double
    /// A subject in the color of skin, a hint of people, see ``PosterScores/Criterion/skin`` and its limits; 1 is best.
    public let skin: Double
    /// One thing before a ground, see ``PosterScores/Criterion/subject``; 1 is best.
    public let subject: Double
    /// Near to black, white or one color, see ``PosterScores/Criterion/fade``; 0 is best.
    public let fade: Double
    /// The black bars' share, see ``PosterScores/Criterion/letterbox``; 0 is best.
    public let letterbox: Double
    /// Burned-in text, a guess, see ``PosterScores/Criterion/text``; 0 is best.
    public let text: Double
    /// Why the picture is rejected, or `nil`.
    public let blank: Blank?

    /// Judges a picture. Pictures that are compared with each other must have the same size.
    ///
    /// Cost: one pass over the pixels for each criterion, and for the subject a bounded number of steps over 48 x 48
    /// cells at most.
    package init(_ image: PosterImage) { self.init(image, findingSubject: true) }

    /// - Parameter findingSubject: without it ``subject`` and ``skin`` are 0, for those who ask for ``blank`` only.
    init(_ image: PosterImage, findingSubject: Bool) {
        let whole = LumaPlane(image)
        let bars = BlackBars(whole)
        let shown = whole.cropped(to: bars.area)
        let (captions, title) = (CaptionMeasure.text(shown), TitleMeasure.title(shown))
        // Letters are sharp and full of contrast: they do not make a dull picture better.
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
        // Lines of small letters are often none, but a fence in front of someone; the penalty is enough for them.
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

    /// Whether the picture shows nothing: black, white or one color.
    public var isBlank: Bool { blank != nil }

    /// The number of a criterion.
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

    /// The total, 0...1, by the table of ``PosterScores/Criterion``; 0 when the picture is blank.
    public var score: Double { isBlank ? 0 : weighted }

    /// The total without the rejection, which tells apart pictures of a film that has only blank ones.
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
