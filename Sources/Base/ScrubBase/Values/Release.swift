/// Information about this build of Scrub.
package enum Release {
    /// The version according to Semantic Versioning: the newest one in CHANGELOG.md. It does not occur anywhere else in
    /// the code.
    package static let version = "1.0.0"

    /// The commit, in builds of a source archive; `nil` in builds of a clone.
    ///
    /// `git archive` inserts the commit (.gitattributes), so that two builds of the same archive are identical. A clone
    /// can change without a commit, so a commit there would be misleading.
    package static var commit: String? { archived.hasPrefix("$") ? nil : archived }
    private static let archived = "$Format:%H$"

    /// The compiler's version, as far as a program can determine it.
    package static var compiler: String {
        #if compiler(>=6.5)
        "6.5 or later"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}
