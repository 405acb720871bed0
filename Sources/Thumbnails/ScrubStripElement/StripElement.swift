/// The custom element `<scrub-strip>`, one file of JavaScript. `thumbs --profile web` writes it beside its page, and
/// the viewer serves it.
///
/// It works as a classic script, also from a file, where browsers load no modules, and by `import` for its effect.
package enum StripElement {
    /// The name of the file.
    package static let fileName = "scrub-strip.js"

    /// The file.
    package static var bytes: [UInt8] { PackageResources.scrub_strip_js }
}
