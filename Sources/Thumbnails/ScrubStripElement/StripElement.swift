/// The custom element `<scrub-strip>`, a single JavaScript file. `thumbs --profile web` writes it next to its page, and
/// the viewer serves it.
///
/// It works as a classic script, even from a file, where browsers load no modules, and when imported for its side
/// effect.
package enum StripElement {
    /// The name of the file.
    package static let fileName = "scrub-strip.js"

    /// The file's contents.
    package static var bytes: [UInt8] { PackageResources.scrub_strip_js }
}
