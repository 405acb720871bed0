#if CommandLine
internal import ArgumentParser

/// The option to make thumbnails from kept previews.
struct FromPreviewsArgument: ParsableArguments {
    @Flag(
        help:
            "Make thumbnails from the film's kept previews (scrub previews) instead of decoding, if they exist and are large enough. The manifest says so, and these thumbnails are not called exact."
    )
    var fromPreviews = false

    /// Rejects it together with `--plan`.
    func check(withPlan isPlan: Bool) throws {
        guard fromPreviews, isPlan else { return }
        throw ValidationError("--plan shows what is decoded without previews: omit --from-previews")
    }
}
#endif
