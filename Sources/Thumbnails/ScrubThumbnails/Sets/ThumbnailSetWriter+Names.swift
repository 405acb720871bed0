internal import ScrubFileIO
internal import ScrubBase
internal import ScrubPictures
internal import ScrubStoryboards
internal import ScrubStripElement

extension ThumbnailSetWriter {
    /// Checks that a profile's files may have their names, before the work of making them. Files that only some videos
    /// get are checked when they exist.
    ///
    /// - Throws: `usage` if a name belongs to a file that is being read or that no earlier run wrote.
    func checkNames(_ profile: ThumbnailSets.Profile) throws(ScrubError) {
        let folder = run.output.path + "/" + profile.rawValue
        for (place, size) in sizeNumbers(of: profile).enumerated() {
            let board = try run.plan.storyboard(of: run.asset, tile: run.sizes[size], profile.sheets)
            let sheets = board.sheets.map(\.name)
            switch profile {
            case .web:
                let names = ["thumbnails.vtt", "index.html", StripElement.fileName, "preview.webp"]
                let json = try JSONIndexes(board, baseURL: baseURL).names
                try run.output.check(sheets + names + json, manifest: "manifest.json", in: folder)
            case .jellyfin:
                let media = Storyboard.JellyfinTrickplay.mediaFolderName(base: run.asset.baseName)
                let name = try Storyboard.JellyfinTrickplay(board).folderName
                try run.output.check(
                    sheets.map { media + "/" + name + "/" + $0 }, manifest: "manifest.json", in: folder)
            case .plex, .roku:
                let name = bifName(profile, place: place)
                try run.output.check([name], manifest: name + ".json", in: folder, files: bifFiles(profile, name))
            case .hls:
                try run.output.check(
                    sheets + ["images.m3u8", "master.m3u8"], manifest: "manifest.json", in: folder)
            case .dash: try run.output.check(sheets + ["manifest.mpd"], manifest: "manifest.json", in: folder)
            case .contact:
                // This file has no manifest. Its own contents identify it.
                if isContactSheet(folder + "/contact.svg") { run.output.recognize(["contact.svg"], in: folder) }
                try run.output.check(["contact.svg"], in: folder)
            case .freedesktop: continue
            }
        }
    }

    /// Returns the name of a BIF file.
    ///
    /// - Parameter place: the position of its size among those of the profile.
    func bifName(_ profile: ThumbnailSets.Profile, place: Int) -> String {
        profile == .plex
            ? Storyboard.BIF.plexName : run.asset.baseName + ThumbnailSetWriter.rokuSuffixes[min(place, 1)]
    }

    /// The suffixes of Roku's file names, in the order of its sizes.
    static let rokuSuffixes = ["-sd.bif", "-hd.bif"]

    /// Returns a closure that lists the files of a BIF set.
    func bifFiles(_ profile: ThumbnailSets.Profile, _ name: String) -> (Storyboard) -> [String] {
        { board in [name] + [profile == .plex ? embyName(board) : nil].compactMap { $0 } }
    }

    /// Returns the name of a BIF file for Emby; `nil` if its interval is not in whole seconds.
    func embyName(_ board: Storyboard) -> String? {
        guard let interval = try? Storyboard.BIF(board).multiplier, interval % 1000 == 0 else { return nil }
        return Storyboard.BIF.embyName(
            base: run.asset.baseName, width: board.tileWidth, interval: Int(interval / 1000))
    }

    private func isContactSheet(_ path: String) -> Bool {
        guard let file = try? FileSource(path: path), file.byteCount > 64,
            let end = try? file.read(at: file.byteCount - 64, count: 64)
        else { return false }
        return String(decoding: end, as: UTF8.self).contains(/<\/svg>\s*<!-- [0-9a-f]{16} -->\s*$/)
    }
}
