/// The custom element `<scrub-strip>`, one file of JavaScript: what `thumbs --profile web` writes beside its page, and
/// what the viewer serves.
///
/// It works as a classic script, also from a file, where browsers load no modules, and by `import` for its effect.
package enum StripElement {
    /// What the file is called.
    package static let fileName = "scrub-strip.js"

    /// The file.
    package static var bytes: [UInt8] { PackageResources.scrub_strip_js }
}
