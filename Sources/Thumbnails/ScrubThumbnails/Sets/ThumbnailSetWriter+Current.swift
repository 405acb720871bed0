internal import ScrubFileIO
internal import ScrubHashing
internal import ScrubBase
internal import ScrubIndex
internal import ScrubStoryboards

extension ThumbnailSets.Options {
    /// Returns an identifier of a video's file in its current state, and of everything that affects a set of it.
    func sourceIdentifier(_ asset: VideoAsset, _ profile: ThumbnailSets.Profile) -> String {
        let film = subject.map { "\($0.name) \($0.key)" } ?? "\(asset.path.mediumName) \(asset.identity)"
        let text =
            "sets-2 \(profile.rawValue) \(film) stream \(asset.index.facts.streamIndex) "
            + "\(request) quality \(quality) base \(baseURL ?? "-") ground \(background)"
            + (size.map { " size \($0.name)" } ?? "") + (usesKeptPreviews ? " previews" : "")
            + (deinterlaces ? " deinterlaced" : "")
            // A set from before this existed is a different set.
            + (profile == .hls ? " track" : "")
            + (asset.playerStart > .zero && !profile.countsFromFirstFrame ? " in the players' time" : "")
        return PlainText.hexadecimal(xxh3(Array(text.utf8)))
    }
}

extension ThumbnailSetWriter {
    /// Returns the set of a profile that already exists, if this run would write the same one. It must belong to the
    /// same video with the same options, and none of its files may be missing or truncated.
    func current(_ profile: ThumbnailSets.Profile) -> ThumbnailSets.Entry? {
        let folder = run.output.path + "/" + profile.rawValue
        let (count, identifier) = (run.plan.slots.count, options.sourceIdentifier(run.asset, profile))
        func entry(_ byteCount: Int) -> ThumbnailSets.Entry {
            .init(profile: profile, folder: folder, thumbnailCount: count, byteCount: byteCount, isUpToDate: true)
        }
        switch profile {
        case .web, .jellyfin, .hls, .dash:
            return Storyboard.current(folder, "manifest.json", identifier).map(entry)
        case .plex, .roku:
            let names =
                profile == .plex ? [Storyboard.BIF.plexName] : Self.rokuSuffixes.map { run.asset.baseName + $0 }
            var byteCount = 0
            for name in names {
                guard let board = Storyboard.earlier(at: folder + "/" + name + ".json"),
                    board.sourceIdentifier == identifier,
                    Folder.byteCount(of: folder + "/" + name)
                        == board.sheets.reduce(
                            Storyboard.BIF.headerByteCount(pictures: board.sheets.count), { $0 + $1.byteCount })
                else { return nil }
                byteCount += board.sheets.reduce(0) { $0 + $1.byteCount }
            }
            return entry(byteCount)
        case .contact:
            let path = folder + "/contact.svg"
            guard let bytes = try? Folder.contents(of: path, limit: 256 << 20),
                String(decoding: bytes.suffix(64), as: UTF8.self).contains(identifier)
            else { return nil }
            return entry(bytes.count)
        case .freedesktop: return nil
        }
    }
}

extension ThumbnailStrip.Options {
    /// Returns an identifier of a video's file in its current state, and of everything that affects a strip of it.
    func sourceIdentifier(_ asset: VideoAsset) -> String {
        var thumbnails = thumbnails
        // How thumbnails are decoded makes no difference, and the manifest says which were made from previews.
        (thumbnails.threadCount, thumbnails.computesMD5, thumbnails.usesKeptPreviews) = (nil, false, false)
        let text =
            "strip-1 \(asset.path.mediumName) \(asset.identity) stream \(asset.index.facts.streamIndex) "
            + "\(request) \(thumbnails) \(sheets) base \(baseURL ?? "-")"
        return PlainText.hexadecimal(xxh3(Array(text.utf8)))
    }
}

extension Storyboard {
    /// Returns the strips in folders if they are unchanged; `nil` if a strip is a different one or incomplete, or names
    /// a video with another path.
    static func current(_ folders: [String], _ identifier: String, of asset: VideoAsset) -> [Storyboard]? {
        let found = folders.compactMap { folder in
            current(folder, "manifest.json", identifier).flatMap { _ in earlier(at: folder + "/manifest.json") }
        }.filter { $0.file == asset.path.publicName }
        return found.count == folders.count ? found : nil
    }

    /// Returns the size in bytes of the sheets of an existing unchanged set; `nil` if it is a different one or
    /// incomplete.
    static func current(_ folder: String, _ manifest: String, _ identifier: String) -> Int? {
        guard let board = earlier(at: folder + "/" + manifest), board.sourceIdentifier == identifier,
            board.sheets.allSatisfy({ Folder.byteCount(of: folder + "/" + $0.name) == $0.byteCount }),
            board.otherFiles.allSatisfy({ Folder.byteCount(of: folder + "/" + $0) != nil })
        else { return nil }
        return board.sheets.reduce(0) { $0 + $1.byteCount }
    }
}
