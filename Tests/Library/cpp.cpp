/* scrub.hpp holds what it says: cpp FILM FOLDER. */
#include <scrub.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#define CHECK(condition)                                                     \
    do {                                                                     \
        if (!(condition)) {                                                  \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                    \
        }                                                                    \
    } while (0)

template <class Call> static int status_of(Call &&call) {
    try {
        call();
        return SCRUB_OK;
    } catch (const scrub::error &failure) {
        CHECK(*failure.what() != 0);
        return failure.status();
    }
}

static void frames(const std::string &film, const std::string &folder) {
    scrub::video video(film);
    const std::int64_t frame = video.find("0.42");
    const scrub::image picture = video.read(frame);
    CHECK(picture.is_exact() && picture.frame == frame && picture.planes == 1 && picture.reason.empty());
    CHECK(picture.pixels.size() == static_cast<std::size_t>(picture.width) * picture.height * 3);
    const scrub::image native = video.read(frame, SCRUB_NATIVE);
    CHECK(native.planes == 3 && native.plane(1) == native.pixels.data() + native.offset[1] && native.pixel_format == "yuv420p");
    CHECK(video.read(frame, SCRUB_GRAY8, 0, 64).width == 64);
    const auto times = video.times(frame, 2);
    const auto [numerator, denominator] = video.time_base();
    CHECK(video.find_seconds(static_cast<double>(times[0].pts - video.facts().start_pts) * numerator / denominator) == frame);
    CHECK(video.describe().find("\"codec\"") != std::string::npos && video.facts().frame_count == video.frame_count());
    const auto png = video.encode(frame);
    CHECK(png.size() > 8 && png[1] == 'P');
    video.save(frame, folder + "/frame.png");
    std::ifstream file(folder + "/frame.png", std::ios::binary);
    CHECK(std::vector<std::uint8_t>(std::istreambuf_iterator<char>(file), {}) == png);
    CHECK(status_of([&] { video.read(1 << 30); }) == SCRUB_USAGE);
    CHECK(status_of([&] { scrub::video none("no such file"); }) == SCRUB_NO_INPUT);
    scrub::video moved = std::move(video);
    CHECK(moved.read(frame).pixels == picture.pixels);
    CHECK(status_of([&] { video.read(frame); }) == SCRUB_USAGE);
    std::ifstream whole(film, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
    CHECK(scrub::video(bytes.data(), bytes.size()).read(frame).pixels == picture.pixels);
}

static void verbs(const std::string &film, const std::string &folder) {
    int steps = 0;
    scrub::video video(film, SCRUB_OPTIONS_INIT, [&](std::int64_t, std::int64_t) { return ++steps > 0; });
    scrub_thumbnails wanted = SCRUB_THUMBNAILS_INIT;
    wanted.count = 6;
    CHECK(video.write_strip(folder + "/strip", wanted).find("\"thumbnails\":[") != std::string::npos && steps > 0);
    CHECK(video.write_sheet(folder + "/sheet.jpg", wanted).find("\"pictures\":[") != std::string::npos);
    CHECK(!video.encode_sheet(wanted).empty());
    wanted.count = 0;
    wanted.interval_num = wanted.interval_den = 1;
    CHECK(video.write_sets(folder + "/sets", "web", wanted).find("\"web\"") != std::string::npos);
    CHECK(status_of([&] { video.write_sets(std::nullopt, "web"); }) == SCRUB_USAGE);
    CHECK(status_of([&] { video.write_sets("", "freedesktop"); }) == SCRUB_USAGE);
    CHECK(status_of([&] { video.write_posters(""); }) == SCRUB_USAGE && status_of([&] { video.write_cover(""); }) != SCRUB_OK);
    CHECK(status_of([&] { video.write_frame_map("csv", std::string("a\0b", 3)); }) == SCRUB_USAGE);
    CHECK(video.verify_sets(folder + "/sets", 3).find("\"valid\":true") != std::string::npos);
    try {
        scrub::video("testdata/clips/film-h264.mkv").verify_sets(folder + "/sets", 3);
        CHECK(false);
    } catch (const scrub::error &failure) {
        CHECK(failure.status() == SCRUB_BAD_DATA && failure.report().find("\"problems\":[{") != std::string::npos);
    }
    const auto posters = video.posters(3);
    CHECK(!posters.empty() && posters[0].score > 0);
    CHECK(video.write_posters(folder + "/poster.jpg").find("\"score\"") != std::string::npos);
    CHECK(status_of([&] { video.write_cover(folder + "/cover"); }) == SCRUB_BAD_DATA);
    CHECK(status_of([&] { scrub::write_cover_of(film, folder + "/cover"); }) == SCRUB_BAD_DATA);
    CHECK(scrub::convert_set(folder + "/strip", "vtt", folder + "/vtt", SCRUB_COPY_ONLY).find("\"encoded\":0") != std::string::npos);
    CHECK(status_of([&] { scrub::convert_set(folder + "/none", "vtt", folder + "/vtt"); }) == SCRUB_NO_INPUT);
    CHECK(video.check_determinism(2).find("\"differences\":0") != std::string::npos);
    CHECK(video.scenes().back().last_frame == video.frame_count() - 1);
    CHECK(video.frame_map("csv").rfind("frame,", 0) == 0);
    video.write_frame_map("csv", folder + "/map.csv");
    CHECK(video.plan(0).find("\"feed\"") != std::string::npos && video.verify("backward", 4).find("\"wrong\":0") != std::string::npos);
    CHECK(video.make_previews(160).find("\"frames\"") != std::string::npos);
}

static void endings(const std::string &film) {
    struct enough {};
    bool must_throw = false, must_end = false;
    scrub::video video(film, SCRUB_OPTIONS_INIT, [&](std::int64_t, std::int64_t) {
        if (must_throw) throw enough();
        return !must_end;
    });
    must_end = true;
    CHECK(status_of([&] { video.scenes(); }) == SCRUB_CANCELLED);
    must_throw = true;
    bool has_thrown = false;
    try {
        video.scenes();
    } catch (const enough &) {
        has_thrown = true;
    }
    CHECK(has_thrown);
    must_throw = must_end = false;
    CHECK(!video.scenes().empty());
    /* What the last progress throws is thrown, and by this call alone. */
    scrub::video late(film, SCRUB_OPTIONS_INIT, [](std::int64_t done, std::int64_t total) {
        if (total == 1 && done == total) throw enough();
        return true;
    });
    has_thrown = false;
    try {
        late.read(5);
    } catch (const enough &) {
        has_thrown = true;
    }
    CHECK(has_thrown && status_of([&] { late.read(1 << 30); }) == SCRUB_USAGE);
    /* Another video takes its place while it works. */
    std::thread worker([&] {
        const int status = status_of([&] { video.verify(nullptr, 0); });
        CHECK(status == SCRUB_CANCELLED || status == SCRUB_USAGE || status == SCRUB_OK);
    });
    video.cancel();
    worker.join();
}

static void sessions(const std::string &film) {
    scrub::picture kept;
    {
        scrub::video video(film);
        scrub::resources shared(128 << 20, 2);
        scrub::session one(video, shared), other(video, shared);
        CHECK(one.descriptor() >= 0 && !one.take(0));
        for (scrub::session *session : {&one, &other}) {
            const std::uint64_t request = session->request_fraction(0.42, SCRUB_RESTING);
            while (auto update = session->take()) {
                if (update->request() != request || !update->is_final()) continue;
                CHECK(update->is_exact() && update->frame() == update->requested_frame() && update->frame() == video.find("0.42"));
                kept = update->picture();
                break;
            }
        }
        CHECK(kept.copy().pixels == video.read(video.find("0.42")).pixels && kept.planes().planes == 3);
        CHECK(shared.memory().held > 0);
        one.began("0.5");
        const std::uint64_t request = one.moved(50, 1000);
        CHECK(one.ended() >= request && request > 0);
        one.request_at("last"), one.request_seconds(1), one.request(3), one.rest(), one.cancel();
        std::thread waker([&] { other.wake(); });
        while (other.take()) {}
        waker.join();
        scrub::session moved = std::move(one);
        CHECK(status_of([&] { one.rest(); }) == SCRUB_USAGE);
        scrub_session_options options = SCRUB_SESSION_OPTIONS_INIT;
        scrub::session own(video, options);
        CHECK(own.prepare_previews(0) && own.memory().previews > 0);
    }
    const scrub::picture copy = kept;
    kept = scrub::picture();
    CHECK(copy && !kept && copy.copy().width > 0 && !copy.encode().empty());
}

int main(int count, char **words) {
    CHECK(count == 3);
    frames(words[1], words[2]);
    verbs(words[1], words[2]);
    endings(words[1]);
    sessions(words[1]);
    return 0;
}
