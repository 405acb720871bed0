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
        0 success; 64 usage error; 65 the file's data cannot be decoded as requested, or a limit was reached; 66 the \
        file does not exist or cannot be read; 69 something required is missing, or a rule forbids the request; 74 a \
        read or write failed; 130 after Ctrl-C.
        """

    /// Commands, grouped as on the first page.
    static let commandGroups: [(String, [String])] = [
        ("Frames", ["seek", "info", "frames", "scenes", "plan", "index", "previews"]),
        ("Thumbnails", ["strip", "poster", "thumbs", "sheet", "batch", "convert", "verify-set"]),
        ("Watching", ["play", "view", "gesture"]),
        ("Verification, benchmarks, use by other programs", ["verify", "bench", "drive", "cache"]),
    ]

    /// Topics: options that several commands share.
    static let topics = [
        HelpTree.Topic(
            name: "positions", title: "Positions: how to specify a frame",
            text: """
                A position specifies one frame. Wherever a command accepts a position, you can use any of these forms:

                  42%, 0.42        a fraction of the film: 0 is its start, 1 its last frame
                  12.5s, 90ms, 2m  a time after the first frame
                  1:02.5           minutes and seconds; 00:01:02.500 with hours
                  1h2m3.5s         hours, minutes and seconds
                  01:00:03:12      a SMPTE timecode (01:00:03;12 for drop-frame)
                  f1234, '#1234'   a frame number, counted from 0
                  f-1              a frame number, counted from the end
                  first, last      the first and the last frame

                The frame is the one on screen at that moment. Times count from the first frame that is shown. \
                Timecodes count from the file's start timecode, or from 00:00:00:00 if it has none. In a shell, put \
                '#1234' in quotes.

                A time is read with at least three decimals, and represents all times that round or truncate to it. \
                Therefore, the time that any program prints for a frame names that frame. A position outside the film \
                is an error, unless --clamp is used, which selects the first or last frame instead.

                Where a command accepts several frames, A..B means every frame from position A to position B, both \
                included, such as f100..f200 or 10s..12s.
                """, arguments: []),
        HelpTree.Topic(
            name: "network", title: "Network and safety: options that all commands share",
            text: """
                Instead of a file, you can specify the http:// or https:// address of a video. Scrub fetches only the \
                parts that it needs, and caches them for later commands (see scrub cache).

                  scrub info https://example.com/film.mp4
                  scrub seek https://example.com/film.mp4 42% --header 'Authorization: Bearer abc'
                  scrub info "$address" --deny private --sandbox

                The rules that --allow and --deny set also apply to redirects, to playlist segments and to cached data.
                """, arguments: []),
    ]

    private static let batchExits = """
        0 every film is accounted for, including failed ones; 64 usage error; 65 with --strict, a film failed or a \
        folder could not be read; 66 a folder is missing, or all films of a list are; 69 something required is \
        missing; 74 the results cannot be written; 75 ended early by SIGTERM (the same command resumes the batch); \
        130 after Ctrl-C.
        """

    /// Keyed by the words that name a command.
    static let verbs: [String: Verb] = [
        "": Verb(
            [
                ("scrub info film.mp4", "information about the film and its file"),
                ("scrub seek film.mp4 1:02.5 -o frame.png", "the frame on screen at 1:02.5, as a picture"),
                ("scrub thumbs film.mp4 --profile web -o thumbnails", "thumbnails for a web player"),
            ],
            exits: """
                0 success; 64 usage error; 65 the file's data cannot be decoded as requested, a limit was reached, or \
                a verification failed; 66 the file does not exist or cannot be read; 69 something required is missing \
                (a codec, a program, free space), or a rule forbids the request; 74 a read or write failed; 75 a batch \
                was ended early by SIGTERM; 130 after Ctrl-C; 143 after SIGTERM in other commands. With several files, \
                the highest of their exit codes is returned.
                """),
        "seek": Verb([
            ("scrub seek film.mp4 12.5s -o frame.png", "the frame on screen at 12.5 seconds, as a picture"),
            (
                "scrub seek film.mp4 f100..f200 -o 'out/%05d.jpg'",
                "101 frames, each with its number in the file name"
            ),
            ("scrub seek film.mp4 42% last --hash --json", "frame information and checksums as JSON, without pictures"),
        ]),
        "info": Verb([
            ("scrub info film.mp4", "a table for people"),
            ("scrub info *.mkv --json", "one line of JSON per file"),
            ("scrub info film.mp4 --cost", "also count the pictures that each exact frame needs"),
        ]),
        "frames": Verb([
            ("scrub frames film.mp4 | head", "the number, time and duration of the first frames"),
            ("scrub frames film.mp4 --json", "the same for all frames, as JSON"),
            (
                "scrub frames film.mp4 --as torchcodec -o map.json",
                "a map that lets torchcodec open the film without scanning it first"
            ),
        ]),
        "plan": Verb([
            ("scrub plan film.mp4 42%", "the keyframe to start from, and how many pictures to decode"),
            ("scrub plan film.mp4 f1234 --json", "the same for frame 1234, as JSON"),
        ]),
        "index": Verb([
            ("scrub index film.mp4", "make the index now, so that the next command opens the film immediately"),
            ("scrub index film.mp4 --json", "the same, with a JSON report of the index's path and the time it took"),
        ]),
        "previews": Verb([
            ("scrub previews film.mp4", "make small pictures of all frames now, so that a drag shows them immediately"),
            ("scrub previews *.mp4 --json", "the same for several films, with a JSON report of the previews' size"),
            ("scrub batch films --previews", "the same for a whole library, as long as the cache has room"),
        ]),
        "strip": Verb([
            ("scrub strip film.mp4 --count 100 -o strip", "a hundred thumbnails on sheets, with WebVTT and JSON"),
            (
                "scrub strip film.mp4 --every 5 --width 320 -o strip",
                "one thumbnail every five seconds, 320 pixels wide"
            ),
            ("scrub strip film.mp4 --scenes -o strip", "one thumbnail for each scene"),
        ]),
        "poster": Verb([
            ("scrub poster film.mp4 -o poster.jpg", "the picture that best represents the film"),
            (
                "scrub poster film.mp4 --count 3 -o posters/",
                "the three best pictures, and posters.json, which describes them"
            ),
            ("scrub poster film.mp4 --cover -o cover.jpg", "the cover art that is embedded in the file"),
        ]),
        "thumbs": Verb([
            ("scrub thumbs film.mp4 --profile web -o thumbnails", "a set for web players, with a page for viewing it"),
            (
                "scrub thumbs film.mp4 --profile jellyfin,plex -o sets",
                "sets for two servers; the film is decoded only once"
            ),
            ("scrub thumbs film.mp4 --profile freedesktop", "thumbnails in the folder that file managers use"),
        ]),
        "sheet": Verb([
            ("scrub sheet film.mp4 -o sheet.jpg", "twenty pictures from the whole film, with their times"),
            ("scrub sheet film.mp4 --scenes -o sheet.png", "one picture for each scene"),
        ]),
        "scenes": Verb([
            ("scrub scenes film.mp4", "where each scene begins and ends"),
            ("scrub scenes film.mp4 --as csv > scenes.csv", "the same as a table"),
            ("scrub scenes film.mp4 --threshold 0.15 --json", "only hard cuts, as JSON"),
        ]),
        "verify-set": Verb(
            [
                ("scrub verify-set thumbnails --against film.mp4", "verify a set that scrub thumbs wrote"),
                (
                    "scrub verify-set strip --against film.mp4 --sample 1000 --json",
                    "compare more pictures, and report the result as JSON"
                ),
            ],
            exits: usualExits.replacing(
                "65 the file's data cannot be decoded as requested", with: "65 a set has errors")),
        "convert": Verb(
            [
                ("scrub convert thumbnails --to bif -o roku", "convert a set to a BIF file"),
                ("scrub convert index-sd.bif --to vtt -o web", "convert a BIF file to a set for web players"),
            ], exits: usualExits.replacing("the file's data cannot be decoded", with: "the set cannot be converted")),
        "gesture": Verb([
            (
                "scrub gesture film.mp4 --made flick",
                "play a synthetic gesture, and report how well the pictures kept up with it"
            ),
            ("scrub gesture film.mp4 --script drag.json --plot drag.svg", "play a recorded gesture, and plot it"),
        ]),
        "play": Verb([
            ("scrub play film.mp4", "play in the terminal; press ? to see the keys"),
            (
                "scrub play a.mp4 b.mkv --y4m - | ffmpeg -i - out.webm",
                "pipe two films, one after the other, into another program"
            ),
            ("scrub play film.mp4 --null --clock real --json", "play without output, and count late frames"),
        ]),
        "view": Verb([
            ("scrub view film.mp4 --open", "view in the browser; only this machine can connect"),
            ("scrub view films/", "view all videos in a folder"),
            ("scrub view film.mp4 --terminal", "view in the terminal; press ? to see the keys"),
        ]),
        "batch": Verb(
            [
                ("scrub batch films --profile web --to thumbnails", "make the missing sets for a whole library"),
                (
                    "scrub batch films --profile web --to thumbnails --watch",
                    "the same, and then keep running to process new films"
                ),
                ("scrub batch plan films --profile web --to thumbnails", "how long it will take"),
            ], exits: batchExits),
        "batch run": Verb(
            [
                ("scrub batch films --profile web --to thumbnails", "make the missing sets for a whole library"),
                (
                    "scrub batch films --profile jellyfin --beside",
                    "write sets next to the films, where Jellyfin looks for them"
                ),
                ("scrub batch films --profile web --to thumbnails --dry-run", "report which films would be processed"),
            ], exits: batchExits),
        "batch status": Verb([
            ("scrub batch status --to thumbnails", "how many films are done, failed or in progress"),
            ("scrub batch status --to thumbnails --json", "the same as JSON"),
        ]),
        "batch failures": Verb([
            ("scrub batch failures --to thumbnails", "which films failed, why, and whether they will be retried"),
            ("scrub batch failures --to thumbnails --json", "the same as JSON"),
        ]),
        "batch retry": Verb([
            ("scrub batch retry --to thumbnails", "make the next run retry all failed films"),
            ("scrub batch retry films/a.mkv --to thumbnails", "make the next run retry only this film"),
        ]),
        "batch plan": Verb([
            (
                "scrub batch plan films --profile web --to thumbnails",
                "predict the run time on this machine, and the number of bytes written"
            ),
            (
                "scrub batch plan films --profile web --to thumbnails --machines 8",
                "predict the run time on eight machines"
            ),
            (
                "scrub batch plan films --profile web --to thumbnails --manifest list.jsonl",
                "write a list that can be divided into shards of about equal cost"
            ),
        ]),
        "verify": Verb(
            [
                ("scrub verify film.mp4", "compare frames, requested in five orders, with a linear decode"),
                (
                    "scrub verify *.mp4 --sample 0 --json",
                    "compare every frame of several files, and report the results as JSON"
                ),
            ],
            exits: usualExits.replacing(
                "cannot be decoded as requested",
                with: "cannot be decoded, or a picture differs from the linear decode")),
        "bench": Verb([
            ("scrub bench film.mp4", "a table of the times for opening, seeks, drags and single steps"),
            ("scrub bench a.mp4 b.mkv --plot bench.html", "the same, with a plot of every request"),
        ]),
        "drive": Verb([
            ("echo 'SEEK 42' | scrub drive film.mp4", "the checksum of one frame"),
            ("scrub drive film.mp4 --binary", "pictures for another program; docs/drive.md describes the protocol"),
        ]),
        "cache": Verb([
            ("scrub cache stats", "how much data is kept, and how often it was used"),
            ("scrub cache prune --older-than 30d", "remove entries that have not been used for 30 days"),
            ("scrub cache clear", "remove everything, after confirmation"),
        ]),
        "cache list": Verb([
            ("scrub cache list", "the entries, least recently used first"),
            ("scrub cache list --json", "every entry, as JSON"),
        ]),
        "cache stats": Verb([
            ("scrub cache stats", "how much data is kept, and the limits"),
            ("scrub cache stats --prometheus", "the statistics in Prometheus text format"),
        ]),
        "cache verify": Verb(
            [
                ("scrub cache verify", "compare all data with its checksums, and remove damaged data"),
                ("scrub cache verify --json", "the same as JSON"),
            ],
            exits: usualExits.replacing(
                "65 the file's data cannot be decoded as requested", with: "65 damage was found and removed")),
        "cache prune": Verb([
            ("scrub cache prune", "enforce the limits now"),
            ("scrub cache prune --older-than 30d", "the same, and remove entries that have not been used for 30 days"),
        ]),
        "cache clear": Verb([
            ("scrub cache clear", "remove everything, after confirmation"),
            ("scrub cache clear --keep-indexes --yes", "remove only fetched media, without confirmation"),
        ]),
    ]
}
#endif
