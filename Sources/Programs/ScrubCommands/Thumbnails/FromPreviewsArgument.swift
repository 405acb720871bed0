#if CommandLine
internal import ArgumentParser

/// The choice for thumbnails of the small pictures that are kept.
struct FromPreviewsArgument: ParsableArguments {
    @Flag(
        help:
            "Make thumbnails of the film's kept previews (scrub previews) instead of decoding, where there are some and they are large enough. The manifest says so, and none of these is called exact."
    )
    var fromPreviews = false

    /// Refuses it beside `--plan`.
    func check(withPlan isPlan: Bool) throws {
        guard fromPreviews, isPlan else { return }
        throw ValidationError("--plan says what is decoded without previews: leave --from-previews out")
    }
}
#endif
