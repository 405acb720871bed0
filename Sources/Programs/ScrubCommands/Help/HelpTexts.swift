#if CommandLine
/// The parts of help pages that the parser does not know: examples, exit codes, and topics that several commands share.
enum HelpTexts {
    struct Verb {
        var examples: [(String, String)]
        var exits: String?

        init(_ examples: [(String, String)], exits: String? = nil) { (self.examples, self.exits) = (examples, exits) }
    }

    /// The exit codes of commands that open films.
    static let usualExits = """
        0 done; 64 wrong usage; 65 the file's data cannot be decoded as requested, or a limit was reached; 66 no \
        such file, or it cannot be read; 69 something required is missing, or a rule forbids the request; 74 a read \
        or write failed; 130 after Ctrl-C.
        """

    /// Commands, grouped as on the first page.
    static let commandGroups: [(String, [String])] = [
        ("Frames", ["seek", "info", "frames", "scenes", "plan", "index", "previews"]),
        ("Thumbnails", ["strip", "poster", "thumbs", "sheet", "batch", "convert", "verify-set"]),
        ("Watching", ["play", "view", "gesture"]),
        ("Verification, benchmarks, other programs", ["verify", "bench", "drive", "cache"]),
    ]

    /// Topics: options that several commands share.
    static let topics = [
        HelpTree.Topic(
            name: "positions", title: "Positions: how to name a frame",
            text: """
                A position names one frame. Wherever a command takes a position, you can write it in any of these ways:

                  42%, 0.42        a fraction of the film: 0 is its start, 1 its last frame
                  12.5s, 90ms, 2m  a time after the first frame
                  1:02.5           minutes and seconds; 00:01:02.500 with hours
                  1h2m3.5s         hours, minutes and seconds
                  01:00:03:12      a SMPTE timecode (01:00:03;12 for drop-frame)
                  f1234, '#1234'   a frame number, counted from 0
                  f-1              a frame number, counted from the end
                  first, last      the first and the last frame

                The frame is the one on screen at that moment. Times count from the first frame that is shown; \
                timecodes count from the file's own if it has one. In a shell, put '#1234' in quotes.

                A time is read with at least three decimals and represents all times that are written this way: the time \
                that any program prints for a frame names that frame. Positions outside the film are refused; --clamp \
                uses the first or last frame.

                Where several frames can be requested, A..B means every frame from position A to position B, such as \
                f100..f200 or 10s..12s.
                """, arguments: []),
        HelpTree.Topic(
            name: "network", title: "Network and safety: options that all commands share",
            text: """
                A file may be the address of a video on the network: http:// or https://. Scrub fetches only the \
                parts that it needs, and keeps them for next time (scrub cache).

                  scrub info https://example.com/film.mp4
                  scrub seek https://example.com/film.mp4 42% --header 'Authorization: Bearer abc'
                  scrub info "$address" --deny private --sandbox

                The rules of --allow and --deny also apply to redirects, to playlist segments, and to cached data.
                """, arguments: []),
    ]

    private static let batchExits = """
        0 every film is accounted for, including failed ones; 64 wrong usage; 65 with --strict, a film failed; 66 a \
        folder or all films of a list are missing; 69 something required is missing; 74 the results can no longer be \
        written; 75 terminated (SIGTERM) before it was done: the same command continues; 130 after Ctrl-C.
        """

    /// Keyed by the words that name a command.
    static let verbs: [String: Verb] = [
        "": Verb(
            [
                ("scrub info film.mp4", "facts about the film and its file"),
                ("scrub seek film.mp4 1:02.5 -o frame.png", "the exact frame at a time, as a picture"),
                ("scrub thumbs film.mp4 --profile web -o thumbnails", "thumbnails for a web player"),
            ],
            exits: """
                0 done; 64 wrong usage; 65 the file's data cannot be decoded as requested, a limit was reached, or a \
                verification failed; 66 no such file, or it cannot be read; 69 something required is missing (a codec, \
                a program, free space), or a rule forbids the request; 74 a read or write failed; 75 a batch was \
                terminated before it was done; 130 after Ctrl-C, 143 after SIGTERM. With several files, the greatest \
                code counts.
                """),
        "seek": Verb([
            ("scrub seek film.mp4 12.5s -o frame.png", "the frame on screen at 12.5 seconds, as a picture"),
            (
                "scrub seek film.mp4 f100..f200 -o 'out/%05d.jpg'",
                "101 frames, each with its number in the file name"
            ),
            ("scrub seek film.mp4 42% last --hash --json", "facts and checksums for a program, no pictures"),
        ]),
        "info": Verb([
            ("scrub info film.mp4", "a table for people"),
            ("scrub info *.mkv --json", "one object per file, each on its own line"),
            ("scrub info film.mp4 --cost", "also count the cost of every exact frame"),
        ]),
        "frames": Verb([
            ("scrub frames film.mp4 | head", "number, time and duration of the first frames"),
            ("scrub frames film.mp4 --json", "the same for a program"),
            ("scrub frames film.mp4 --as torchcodec -o map.json", "a map that lets torchcodec open the film at once"),
        ]),
        "plan": Verb([
            ("scrub plan film.mp4 42%", "the keyframe to start from, and how many pictures to decode"),
            ("scrub plan film.mp4 f1234 --json", "the same for a program"),
        ]),
        "index": Verb([
            ("scrub index film.mp4", "make the index now, so that the next command opens the film at once"),
            ("scrub index film.mp4 --json", "the same, and report where the index is saved and what it cost"),
        ]),
        "previews": Verb([
            ("scrub previews film.mp4", "make small pictures of all frames now, so that scrubbing finds them at once"),
            ("scrub previews *.mp4 --json", "the same for several films, and report how many bytes the previews take"),
            ("scrub batch films --previews", "the same for a whole library, while the cache has room"),
        ]),
        "strip": Verb([
            ("scrub strip film.mp4 --count 100 -o strip", "a hundred thumbnails on sheets, with WebVTT and JSON"),
            ("scrub strip film.mp4 --every 5 --width 320 -o strip", "one every five seconds, 320 pixels wide"),
            ("scrub strip film.mp4 --scenes -o strip", "one for each scene"),
        ]),
        "poster": Verb([
            ("scrub poster film.mp4 -o poster.jpg", "the picture that represents the film best"),
            ("scrub poster film.mp4 --count 3 -o posters/", "the three best, and posters.json, which describes them"),
            ("scrub poster film.mp4 --cover -o cover.jpg", "the cover art that is embedded in the file"),
        ]),
        "thumbs": Verb([
            ("scrub thumbs film.mp4 --profile web -o thumbnails", "a set for web players, and a page to view it"),
            ("scrub thumbs film.mp4 --profile jellyfin,plex -o sets", "sets for two servers, decoded only once"),
            ("scrub thumbs film.mp4 --profile freedesktop", "thumbnails in the folder that file managers use"),
        ]),
        "sheet": Verb([
            ("scrub sheet film.mp4 -o sheet.jpg", "twenty pictures from the whole film, with their times"),
            ("scrub sheet film.mp4 --scenes -o sheet.png", "one picture for each scene"),
        ]),
        "scenes": Verb([
            ("scrub scenes film.mp4", "where each scene begins and ends"),
            ("scrub scenes film.mp4 --as csv > scenes.csv", "the same as a table"),
            ("scrub scenes film.mp4 --threshold 0.15 --json", "only hard cuts, for a program"),
        ]),
        "verify-set": Verb(
            [
                ("scrub verify-set thumbnails --against film.mp4", "verify a set that scrub thumbs wrote"),
                (
                    "scrub verify-set strip --against film.mp4 --sample 1000 --json",
                    "compare more pictures, for a program"
                ),
            ],
            exits: usualExits.replacing(
                "65 the file's data cannot be decoded as requested", with: "65 something is wrong with a set")),
        "convert": Verb(
            [
                ("scrub convert thumbnails --to bif -o roku", "convert a set to a BIF file"),
                ("scrub convert index-sd.bif --to vtt -o web", "convert a BIF file to a web player's set"),
            ], exits: usualExits.replacing("the file's data", with: "the set")),
        "gesture": Verb([
            (
                "scrub gesture film.mp4 --made flick",
                "play a synthetic gesture, and report how well the pictures followed"
            ),
            ("scrub gesture film.mp4 --script drag.json --plot drag.svg", "play a recorded gesture, and plot it"),
        ]),
        "play": Verb([
            ("scrub play film.mp4", "in the terminal; ? shows the keys"),
            (
                "scrub play a.mp4 b.mkv --y4m - | ffmpeg -i - out.webm",
                "two films one after another, piped into another program"
            ),
            ("scrub play film.mp4 --null --clock real --json", "play without output, and count late frames"),
        ]),
        "view": Verb([
            ("scrub view film.mp4 --open", "in the browser, only on this machine"),
            ("scrub view films/", "all videos in a folder"),
            ("scrub view film.mp4 --terminal", "in the terminal; ? shows the keys"),
        ]),
        "batch": Verb(
            [
                ("scrub batch films --profile web --to thumbnails", "make what is missing for a whole library"),
                (
                    "scrub batch films --profile web --to thumbnails --watch",
                    "the same, and then process new films as they arrive"
                ),
                ("scrub batch plan films --profile web --to thumbnails", "how long it will take"),
            ], exits: batchExits),
        "batch run": Verb(
            [
                ("scrub batch films --profile web --to thumbnails", "make what is missing for a whole library"),
                ("scrub batch films --profile jellyfin --beside", "next to the films, where the server looks"),
                ("scrub batch films --profile web --to thumbnails --dry-run", "report what would be done"),
            ], exits: batchExits),
        "batch status": Verb([
            ("scrub batch status --to thumbnails", "how many films are done, failed or in progress"),
            ("scrub batch status --to thumbnails --json", "the same for a program"),
        ]),
        "batch failures": Verb([
            ("scrub batch failures --to thumbnails", "each film that failed, why, and whether it will be retried"),
            ("scrub batch failures --to thumbnails --json", "the same for a program"),
        ]),
        "batch retry": Verb([
            ("scrub batch retry --to thumbnails", "make the next run retry all of them"),
            ("scrub batch retry films/a.mkv --to thumbnails", "only this one"),
        ]),
        "batch plan": Verb([
            (
                "scrub batch plan films --profile web --to thumbnails",
                "how long it takes here, and how many bytes it writes"
            ),
            ("scrub batch plan films --profile web --to thumbnails --machines 8", "on eight machines"),
            (
                "scrub batch plan films --profile web --to thumbnails --manifest list.jsonl",
                "a list that can be divided into even parts"
            ),
        ]),
        "verify": Verb(
            [
                ("scrub verify film.mp4", "compare frames, requested in five orders, with a linear decode"),
                ("scrub verify *.mp4 --sample 0 --json", "every frame of many files, for a program"),
            ],
            exits: usualExits.replacing(
                "cannot be decoded as requested",
                with: "cannot be decoded, or a picture differs from the linear decode")),
        "bench": Verb([
            ("scrub bench film.mp4", "a table of how long opening, seeks and steps take"),
            ("scrub bench a.mp4 b.mkv --plot bench.html", "the same, with a plot of every request"),
        ]),
        "drive": Verb([
            ("echo 'SEEK 42' | scrub drive film.mp4", "the checksum of one frame"),
            ("scrub drive film.mp4 --binary", "pictures for another program, as docs/drive.md describes"),
        ]),
        "cache": Verb([
            ("scrub cache stats", "how much data is kept, and how often it was used"),
            ("scrub cache prune --older-than 30d", "remove entries that were not used for a month"),
            ("scrub cache clear", "remove all of it"),
        ]),
        "cache list": Verb([
            ("scrub cache list", "the entries, least recently used first"),
            ("scrub cache list --json", "every entry, for a program"),
        ]),
        "cache stats": Verb([
            ("scrub cache stats", "how much data is kept, and the limits"),
            ("scrub cache stats --prometheus", "the same for a metrics collector"),
        ]),
        "cache verify": Verb(
            [
                ("scrub cache verify", "compare all data with its checksums, and remove damaged data"),
                ("scrub cache verify --json", "the same for a program"),
            ],
            exits: usualExits.replacing(
                "65 the file's data cannot be decoded as requested", with: "65 damage was found and removed")),
        "cache prune": Verb([
            ("scrub cache prune", "enforce the limits now"),
            ("scrub cache prune --older-than 30d", "the same, and remove entries that were not used for a month"),
        ]),
        "cache clear": Verb([
            ("scrub cache clear", "remove everything, after confirmation"),
            ("scrub cache clear --keep-indexes --yes", "only fetched media, without confirmation"),
        ]),
    ]
}
#endif
