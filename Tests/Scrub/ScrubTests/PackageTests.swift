import Foundation
import ScrubTestSupport
import Testing

/// What packages say about the program, against the program's sources.
@Suite struct PackageTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: Repository.root + "/" + path, encoding: .utf8)
    }

    /// Returns the matches of a pattern, whole.
    private func all(_ pattern: String, in text: String) throws -> Set<String> {
        let pattern = try Regex(pattern)
        return Set(text.matches(of: pattern).map { String(text[$0.range]) })
    }

    /// Libraries that are loaded by name have no dependency that dpkg could find: Debian's packages of them are
    /// recommended by hand, for each release.
    @Test func whatIsLoadedByNameIsRecommended() throws {
        var loaded: Set<String> = []
        let folder = Repository.root + "/Sources/C"
        for file in try FileManager.default.subpathsOfDirectory(atPath: folder) where file.hasSuffix(".c") {
            loaded.formUnion(try all(#""lib[a-z]+\.so\.[0-9]+""#, in: try text("Sources/C/" + file)))
        }
        let script = try text("packaging/package.sh")
        let lines = try all(#"loaded="[^"]*""#, in: script)
        #expect(lines.count == 2, "two releases: \(lines)")
        var recommended: Set<String> = []
        for line in lines {
            let packages = try all("lib[a-z]+[0-9]+", in: line)
            #expect(packages.count == 2, "\(line)")
            for package in packages {
                let name = package.prefix { !$0.isNumber }
                recommended.insert("\"\(name).so.\(package.dropFirst(name.count))\"")
            }
        }
        #expect(recommended == loaded && !loaded.isEmpty, "\(loaded.sorted()), \(recommended.sorted())")
    }

    /// libavformat and libavcodec are loaded by the headers' version, and each film needs both.
    @Test func whatEveryFilmNeedsIsDependedOn() throws {
        let packages = try all(#"needed="[^"]*""#, in: try text("packaging/package.sh"))
        #expect(packages.count == 2, "two releases: \(packages)")
        let loaded = try all(#""lib[a-z]+\.so\." TEXT"#, in: try text("Sources/C/CScrubLibAVLoader/loader.c"))
        #expect(loaded == ["\"libavcodec.so.\" TEXT", "\"libavformat.so.\" TEXT"])
        for words in packages {
            #expect(try all("libav(codec|format)[0-9]+", in: words).count == 2, "\(words)")
        }
        let control = try text("packaging/debian/control")
        let depending = control.split(separator: "\n").filter { $0.hasPrefix("Depends: ${shlibs:Depends}, ") }
        #expect(depending.count == 3 && depending.allSatisfy { $0.contains("${scrub:Needed}") })
    }

    /// Debian's disk wiper is called `scrub`: nothing that others start by our words may be called so.
    @Test func whatOthersStartIsCalledScrubVideo() throws {
        let entry = try text("share/scrub.thumbnailer").split(separator: "\n").map(String.init)
        #expect(entry.contains("TryExec=scrub-video") && entry.contains { $0.hasPrefix("Exec=scrub-video poster %i ") })
        for script in ["deploy/slurm/scrub-batch.sbatch", "deploy/slurm/scrub-plan.sbatch"] {
            #expect(try text(script).contains("${SCRUB:-scrub-video}"), "\(script)")
        }
        let recipe = try text("deploy/container/Dockerfile").split(separator: "\n").map(String.init)
        #expect(recipe.last?.hasSuffix("\"/usr/local/bin/scrub-video\"]") == true, "\(recipe.last ?? "")")
        let folder = Repository.root + "/packaging/debian"
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".install") {
            for line in try text("packaging/debian/" + file).split(separator: "\n") {
                let name = line.split(separator: " ")[0].split(separator: "/").last ?? ""
                #expect(!["scrub", "scrub.1", "scrub.1.gz", "_scrub", "scrub.fish"].contains(name), "\(file): \(line)")
            }
        }
    }

    /// The wiper is told by what it says of itself before it is given the name of a film.
    @Test(arguments: ["scrub-batch.sbatch", "scrub-plan.sbatch"])
    func theWiperIsRefused(_ script: String) throws {
        let folder = try TemporaryFolder()
        let wiper = folder.path(of: "scrub")
        try """
        #!/bin/sh
        echo "$@" >>\(folder.path(of: "called"))
        echo 'scrub version 2.6.1' >&2
        """.write(toFile: wiper, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: wiper)
        let result = try Tool.run(
            "bash", [Repository.root + "/deploy/slurm/" + script, "film.mp4"],
            environment: [
                "SCRUB": wiper, "SLURM_JOB_ID": "1", "SLURM_ARRAY_JOB_ID": "1", "SLURM_ARRAY_TASK_ID": "1",
                "TMPDIR": folder.path,
            ])
        #expect(result.status == 69 && result.errors.contains("disk wiper"), "\(result.errors)")
        #expect(try String(contentsOfFile: folder.path(of: "called"), encoding: .utf8) == "--version\n")
    }

    /// What the README shows under "Use" works after the first command that it names.
    @Test func theFirstCommandBuildsWhatTheReadmeUses() throws {
        #expect(try text("README.md").contains("`scrub view film.mp4` opens"))
        #expect(try text("Scripts/first-run.sh").contains("programs+=(scrub-view)"))
        #expect(try text("Sources/Programs/ScrubCommands/ViewCommand.swift").contains("bash Scripts/build.sh \\(name)"))
    }
}
