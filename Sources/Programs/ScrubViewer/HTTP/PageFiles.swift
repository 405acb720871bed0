#if Viewer
internal import ScrubFileIO
internal import Hummingbird
internal import ScrubBase
internal import ScrubStripElement

/// The page's files: a fixed table of names, so that a request never becomes a path.
struct PageFiles: Sendable {
    private let folder: ConfinedFolder?

    /// - Parameter folder: the folder from which to read them, for developers of the page; `nil` for those in the
    ///   program.
    init(folder: String?) throws(ScrubError) {
        if let folder { self.folder = try ConfinedFolder(path: folder) } else { self.folder = nil }
    }

    /// Returns a file by name; `nil` if there is none.
    func file(_ name: String) -> (bytes: [UInt8], type: String)? {
        guard let type = PageFiles.type(of: name) else { return nil }
        if let folder { return (try? folder.contents(of: name, limit: 16 << 20)).map { ($0, type) } }
        return PageFiles.table[name].map { ($0(), type) }
    }

    /// The files in the program.
    static let table: [String: @Sendable () -> [UInt8]] = [
        StripElement.fileName: { StripElement.bytes },
        "align.js": { PackageResources.align_js },
        "api.js": { PackageResources.api_js },
        "app.js": { PackageResources.app_js },
        "blobs.js": { PackageResources.blobs_js },
        "chip.js": { PackageResources.chip_js },
        "compare-link.js": { PackageResources.compare_link_js },
        "compare-over.js": { PackageResources.compare_over_js },
        "compare-panel.js": { PackageResources.compare_panel_js },
        "compare.css": { PackageResources.compare_css },
        "compare.js": { PackageResources.compare_js },
        "comparison.js": { PackageResources.comparison_js },
        "current.js": { PackageResources.current_js },
        "difference-worker.js": { PackageResources.difference_worker_js },
        "difference.js": { PackageResources.difference_js },
        "dock.js": { PackageResources.dock_js },
        "dom.js": { PackageResources.dom_js },
        "elements.js": { PackageResources.elements_js },
        "exports.js": { PackageResources.exports_js },
        "facts.js": { PackageResources.facts_js },
        "features.css": { PackageResources.features_css },
        "features.js": { PackageResources.features_js },
        "gesture.js": { PackageResources.gesture_js },
        "goto.js": { PackageResources.goto_js },
        "help.js": { PackageResources.help_js },
        "icon.svg": { PackageResources.icon_svg },
        "index.html": { PackageResources.index_html },
        "inspector.js": { PackageResources.inspector_js },
        "keys.js": { PackageResources.keys_js },
        "lane.js": { PackageResources.lane_js },
        "library.js": { PackageResources.library_js },
        "link.js": { PackageResources.link_js },
        "log.js": { PackageResources.log_js },
        "main.js": { PackageResources.main_js },
        "markbook.js": { PackageResources.markbook_js },
        "marks-export.js": { PackageResources.marks_export_js },
        "marks-layer.js": { PackageResources.marks_layer_js },
        "marks.css": { PackageResources.marks_css },
        "marks.js": { PackageResources.marks_js },
        "medialist.js": { PackageResources.medialist_js },
        "notice.js": { PackageResources.notice_js },
        "panel.js": { PackageResources.panel_js },
        "panes.js": { PackageResources.panes_js },
        "parts.css": { PackageResources.parts_css },
        "pixels.js": { PackageResources.pixels_js },
        "play.js": { PackageResources.play_js },
        "pointer.js": { PackageResources.pointer_js },
        "positions.js": { PackageResources.positions_js },
        "preview.js": { PackageResources.preview_js },
        "save.js": { PackageResources.save_js },
        "scale.js": { PackageResources.scale_js },
        "stage.js": { PackageResources.stage_js },
        "store.js": { PackageResources.store_js },
        "stories.css": { PackageResources.stories_css },
        "stories.js": { PackageResources.stories_js },
        "story.js": { PackageResources.story_js },
        "strip.js": { PackageResources.strip_js },
        "style.css": { PackageResources.style_css },
        "theme.js": { PackageResources.theme_js },
        "timecode.js": { PackageResources.timecode_js },
        "timeline.js": { PackageResources.timeline_js },
        "times.js": { PackageResources.times_js },
        "together.js": { PackageResources.together_js },
        "transport.js": { PackageResources.transport_js },
        "words.js": { PackageResources.words_js },
        "zoom.js": { PackageResources.zoom_js },
    ]

    /// Returns the type for the suffix; `nil` if the page has no files of that type.
    private static func type(of name: String) -> String? {
        guard name.utf8.count <= 64, let point = name.lastIndex(of: "."), point != name.startIndex,
            name.utf8.allSatisfy({ byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
                    || byte == 0x5F
            })
        else { return nil }
        return [
            "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
            "css": "text/css; charset=utf-8",
            "svg": "image/svg+xml", "png": "image/png", "ico": "image/x-icon",
            "json": "application/json; charset=utf-8",
            "webmanifest": "application/manifest+json", "woff2": "font/woff2",
        ][String(name[name.index(after: point)...])]
    }
}
#endif
