#if CommandLine
internal import ArgumentParser

/// The option to make thumbnails from kept previews.
struct FromPreviewsArgument: ParsableArguments {
    @Flag(
        help:
            "Make thumbnails from the film's kept previews (scrub previews) instead of decoding the film, if the previews exist and are large enough. The manifest marks these thumbnails as made from previews, and never as exact."
    )
    var fromPreviews = false

    /// Rejects it together with `--plan`.
    func check(withPlan isPlan: Bool) throws {
        guard fromPreviews, isPlan else { return }
        throw ValidationError("--plan shows what would be decoded without previews: omit --from-previews")
    }
}
#endif
