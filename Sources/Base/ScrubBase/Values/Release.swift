/// What this build of Scrub is.
package enum Release {
    /// The version, by Semantic Versioning: the newest one in CHANGELOG.md. Nothing else in the code says it.
    package static let version = "1.0.0"

    /// The commit, in builds of a source archive; `nil` in builds of a clone.
    ///
    /// `git archive` puts it in (.gitattributes), so two builds of one archive are the same bytes. A clone changes
    /// without a commit, and a number there would be wrong.
    package static var commit: String? { archived.hasPrefix("$") ? nil : archived }
    private static let archived = "$Format:%H$"

    /// The compiler's version; Swift tells a program no more of it.
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
