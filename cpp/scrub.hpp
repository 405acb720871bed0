/* scrub.hpp: exact frames of video files, for C++17 and later. MIT licence.
 * Length: programs include a single header.
 *
 *     scrub::video video("film.mp4");
 *     scrub::image picture = video.read(video.find("0.42"), SCRUB_RGB8);
 *
 * These classes wrap scrub.h, which describes every function, structure and flag. Each class that owns a handle closes
 * it. These classes can be moved but not copied, except scrub::picture, whose copies share one picture. Functions that
 * fail throw scrub::error. All functions are inline. Programs must link libscrub.
 *
 * Threads. The rules are those of scrub.h. A moved-from object has no handle, and its functions throw scrub::error with
 * SCRUB_USAGE.
 */
#ifndef SCRUB_HPP
#define SCRUB_HPP

#include <scrub.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace scrub {

/* A failure. what() returns a human-readable message. */
class error : public std::runtime_error {
  public:
    error(int status, int system_error, const std::string &message)
        : std::runtime_error(message), status_(status), system_error_(system_error) {}

    /* SCRUB_USAGE, SCRUB_BAD_DATA, ... */
    int status() const noexcept { return status_; }
    /* errno if there is one; otherwise 0. */
    int system_error() const noexcept { return system_error_; }
    bool is_cancellation() const noexcept { return status_ == SCRUB_CANCELLED; }
    /* For verify, check_determinism and verify_sets: the JSON with the findings; otherwise empty. */
    const std::string &report() const noexcept { return report_; }
    void set_report(std::string report) { report_ = std::move(report); }

  private:
    int status_, system_error_;
    std::string report_;
};

/* Receives the progress of a call. A total of 0 means that the total is unknown. If the function returns false or
 * throws, the call ends. */
using progress = std::function<bool(std::int64_t done, std::int64_t total)>;

namespace detail {

/* Calls a function of scrub.h, and throws its error if it fails. */
template <class Function, class... Words> void call(Function function, Words... words) {
    scrub_error failure = SCRUB_ERROR_INIT;
    if (function(words..., &failure) != SCRUB_OK) throw error(failure.status, failure.system_error, failure.message);
}

/* Returns a string for C. Throws if it contains a NUL character, which would truncate it. */
inline const char *text(const std::string &string) {
    if (string.find('\0') != std::string::npos) throw error(SCRUB_USAGE, 0, "a string contains a NUL character (remove it)");
    return string.c_str();
}

/* Bytes that a function of scrub.h allocated. */
class bytes {
  public:
    bytes() = default;
    bytes(const bytes &) = delete;
    bytes &operator=(const bytes &) = delete;
    ~bytes() { scrub_free(data); }
    std::string text() const { return data ? std::string(static_cast<const char *>(data), count) : std::string(); }
    std::vector<std::uint8_t> content() const {
        const auto *first = static_cast<const std::uint8_t *>(data);
        return std::vector<std::uint8_t>(first, first + count);
    }

    void *data = nullptr;
    std::size_t count = 0;
};

/* Owns a handle. */
template <class Handle, void (*close)(Handle *)> class owner {
  public:
    owner() = default;
    owner(owner &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    owner &operator=(owner &&other) noexcept {
        if (this != &other) {
            close(handle_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~owner() { close(handle_); }
    Handle *get() const noexcept { return handle_; }
    Handle **place() noexcept { return &handle_; }

  private:
    Handle *handle_ = nullptr;
};

/* A call in progress on this thread, and the exception that its progress function threw. */
struct scope {
    std::exception_ptr thrown;
    scope *outer = nullptr;
};
inline thread_local scope *active = nullptr;

/* A progress function. The C library keeps a pointer to this object, and calls report on the thread of each call. */
struct watcher {
    progress function;

    static int report(void *context, std::int64_t done, std::int64_t total) noexcept {
        try {
            return static_cast<watcher *>(context)->function(done, total) ? 0 : 1;
        } catch (...) {
            if (active) active->thrown = std::current_exception();
            return 1;
        }
    }
};

/* Runs a call, and rethrows the exception that its progress function threw. */
template <class Call> auto watched(Call &&call) {
    struct guard {
        scope own;
        guard() {
            own.outer = active;
            active = &own;
        }
        ~guard() { active = own.outer; }
        void rethrow() {
            if (own.thrown) std::rethrow_exception(own.thrown);
        }
    } guard;
    try {
        if constexpr (std::is_void_v<decltype(call())>) {
            call();
            guard.rethrow();
        } else {
            auto made = call();
            guard.rethrow();
            return made;
        }
    } catch (const error &) {
        guard.rethrow();
        throw;
    }
}

} // namespace detail

/* The pixels of a frame, and information about it. */
struct image {
    /* The planes, one after another, without padding. Every layout except SCRUB_NATIVE has a single plane. */
    std::vector<std::uint8_t> pixels;
    std::size_t offset[4] = {}, stride[4] = {};
    int planes = 0, width = 0, height = 0, verdict = SCRUB_UNDECODABLE, decoded = 0;
    std::int64_t frame = -1, pts = 0;
    std::string pixel_format, reason;

    bool is_exact() const noexcept { return verdict == SCRUB_EXACT; }
    const std::uint8_t *plane(int number) const { return pixels.data() + offset[number]; }
};

namespace detail {

/* Reads a picture in two calls: one to learn how much memory it needs, and one to fill that memory. */
template <class Read> image fill(scrub_picture picture, Read read) {
    read(&picture);
    image made;
    made.planes = picture.planes;
    std::size_t size = 0;
    for (int plane = 0; plane < picture.planes; plane++) {
        made.offset[plane] = size;
        size += picture.needed[plane];
    }
    made.pixels.resize(size);
    for (int plane = 0; plane < picture.planes; plane++) {
        picture.data[plane] = made.pixels.data() + made.offset[plane];
        picture.capacity[plane] = picture.needed[plane];
        made.stride[plane] = picture.stride[plane];
    }
    read(&picture);
    made.width = picture.width, made.height = picture.height, made.verdict = picture.verdict;
    made.decoded = picture.decoded, made.frame = picture.frame, made.pts = picture.pts;
    made.pixel_format = picture.pixel_format, made.reason = picture.reason;
    return made;
}

inline scrub_picture wanted(std::uint32_t layout, std::uint32_t flags, int width, int height) {
    scrub_picture picture = SCRUB_PICTURE_INIT;
    picture.layout = layout, picture.flags = flags, picture.want_width = width, picture.want_height = height;
    return picture;
}

} // namespace detail

/* An open video. */
class video {
    template <class Call> auto call(Call &&body) const {
        const auto kept = watcher_; /* keeps the progress function until the call returns */
        return detail::watched(body);
    }

    /* Calls a function that returns bytes. */
    template <class Function, class... Words> std::string text(Function function, Words... words) const {
        detail::bytes made;
        try {
            call([&] { detail::call(function, get(), words..., &made.data, &made.count); });
        } catch (error &failure) {
            failure.set_report(made.text());
            throw;
        }
        return made.text();
    }

  public:
    /* Opens a file or an address. The progress function is called during opening and all later calls. */
    explicit video(const std::string &path, scrub_options options = SCRUB_OPTIONS_INIT, progress function = nullptr) {
        open(options, std::move(function), [&](const scrub_options *set) { detail::call(scrub_open, detail::text(path), set, owned_.place()); });
    }
    /* Opens a file whose bytes are in memory. The bytes are copied. */
    video(const void *bytes, std::size_t count, const char *name = nullptr, scrub_options options = SCRUB_OPTIONS_INIT,
          progress function = nullptr) {
        open(options, std::move(function),
             [&](const scrub_options *set) { detail::call(scrub_open_bytes, bytes, count, name, set, owned_.place()); });
    }

    scrub_video *get() const noexcept { return owned_.get(); }

    std::int64_t frame_count() const { return length().count; }
    /* The unit of time in seconds, as a fraction. */
    std::pair<std::int64_t, std::int64_t> time_base() const { return {length().numerator, length().denominator}; }
    scrub_facts facts() const {
        scrub_facts facts = SCRUB_FACTS_INIT;
        call([&] { detail::call(scrub_get_facts, get(), &facts); });
        return facts;
    }
    /* The JSON of `scrub info --json`. */
    std::string describe() const { return text(scrub_describe); }

    std::int64_t find(const std::string &position, std::uint32_t flags = 0) const {
        std::int64_t frame = -1;
        detail::call(scrub_find, get(), detail::text(position), flags, &frame);
        return frame;
    }
    std::int64_t find_seconds(double seconds, std::uint32_t flags = 0) const {
        std::int64_t frame = -1;
        detail::call(scrub_find_seconds, get(), seconds, flags, &frame);
        return frame;
    }
    std::vector<scrub_time> times(std::int64_t first, std::size_t count) const {
        std::vector<scrub_time> times(count);
        detail::call(scrub_get_times, get(), first, count, times.data());
        return times;
    }

    /* Decodes a frame. width, height: 0 means the picture's size. */
    image read(std::int64_t frame, std::uint32_t layout = SCRUB_RGB8, std::uint32_t flags = 0, int width = 0, int height = 0) const {
        return call([&] {
            return detail::fill(detail::wanted(layout, flags, width, height),
                                [&](scrub_picture *picture) { detail::call(scrub_read, get(), frame, picture); });
        });
    }
    std::vector<std::uint8_t> encode(std::int64_t frame, const scrub_image &image = SCRUB_IMAGE_INIT) const {
        detail::bytes made;
        call([&] { detail::call(scrub_encode, get(), frame, &image, &made.data, &made.count, static_cast<scrub_picture *>(nullptr)); });
        return made.content();
    }
    void save(std::int64_t frame, const std::string &path, const scrub_image &image = SCRUB_IMAGE_INIT) const {
        call([&] { detail::call(scrub_save, get(), frame, detail::text(path), &image, static_cast<scrub_picture *>(nullptr)); });
    }

    /* These functions do for one film what the program's commands do. Except for frame_map, those that return a string
     * return what the command prints with --json. */
    std::string write_strip(const std::string &folder, const scrub_thumbnails &thumbnails = SCRUB_THUMBNAILS_INIT) const {
        return text(scrub_write_strip, detail::text(folder), &thumbnails);
    }
    std::string write_sheet(const std::string &path, const scrub_thumbnails &thumbnails = SCRUB_THUMBNAILS_INIT) const {
        return text(scrub_write_sheet, detail::text(path), &thumbnails);
    }
    std::vector<std::uint8_t> encode_sheet(const scrub_thumbnails &thumbnails = SCRUB_THUMBNAILS_INIT) const {
        detail::bytes made;
        call([&] { detail::call(scrub_encode_sheet, get(), &thumbnails, &made.data, &made.count); });
        return made.content();
    }
    /* folder: std::nullopt with SCRUB_BESIDE; optional with SCRUB_PLAN_ONLY, or if "freedesktop" is the only profile. */
    std::string write_sets(const std::optional<std::string> &folder, const std::string &profiles,
                           const scrub_thumbnails &thumbnails = SCRUB_THUMBNAILS_INIT) const {
        return text(scrub_write_sets, folder ? detail::text(*folder) : nullptr, detail::text(profiles), &thumbnails);
    }
    std::vector<scrub_poster> posters(std::size_t count, const scrub_poster_options &options = SCRUB_POSTER_OPTIONS_INIT) const {
        std::vector<scrub_poster> posters(count);
        std::size_t found = 0;
        call([&] { detail::call(scrub_find_posters, get(), &options, posters.data(), count, &found); });
        posters.resize(found);
        return posters;
    }
    std::string write_posters(const std::string &path, const scrub_poster_options &options = SCRUB_POSTER_OPTIONS_INIT) const {
        return text(scrub_write_posters, detail::text(path), &options);
    }
    std::string write_cover(const std::string &path, int stream = -1, const scrub_poster_options &options = SCRUB_POSTER_OPTIONS_INIT) const {
        return text(scrub_write_cover, detail::text(path), stream, &options);
    }
    std::vector<scrub_scene> scenes(const scrub_scene_options &options = SCRUB_SCENE_OPTIONS_INIT) const {
        scrub_scene *first = nullptr;
        detail::bytes made;
        call([&] { detail::call(scrub_find_scenes, get(), &options, &first, &made.count); });
        made.data = first;
        return std::vector<scrub_scene>(first, first + made.count);
    }
    std::string frame_map(const std::string &format) const {
        return text(scrub_write_frame_map, detail::text(format), static_cast<const char *>(nullptr), 0u);
    }
    void write_frame_map(const std::string &format, const std::string &path, std::uint32_t flags = 0) const {
        text(scrub_write_frame_map, detail::text(format), detail::text(path), flags);
    }
    std::string make_previews(int side = 0, int threads = 0) const { return text(scrub_make_previews, side, threads); }
    std::string plan(std::int64_t frame) const { return text(scrub_plan, frame); }
    std::string verify(const char *orders = nullptr, std::int64_t sample = -1) const { return text(scrub_verify, orders, sample); }
    /* Returns the value of `determinism` in the command's JSON. Changes the processor instructions of the whole process while it runs: do not decode anything else in the meantime. */
    std::string check_determinism(std::int64_t sample = -1) const { return text(scrub_check_determinism, sample); }
    std::string verify_sets(const std::string &folder, std::uint32_t sample = 0, std::int64_t interval_num = 0,
                            std::int64_t interval_den = 0) const {
        return text(scrub_verify_sets, detail::text(folder), sample, interval_num, interval_den);
    }

    /* Cancels the calls in progress on other threads. */
    void cancel() const noexcept { scrub_cancel(get()); }

  private:
    struct frames {
        std::int64_t count, numerator, denominator;
    };

    frames length() const {
        frames found{};
        detail::call(scrub_get_length, get(), &found.count, &found.numerator, &found.denominator);
        return found;
    }

    template <class Open> void open(scrub_options &options, progress function, Open &&open) {
        if (function) {
            watcher_ = std::make_shared<detail::watcher>();
            watcher_->function = std::move(function);
            options.progress = detail::watcher::report;
            options.context = watcher_.get();
        }
        call([&] { open(&options); });
    }

    std::shared_ptr<detail::watcher> watcher_;
    detail::owner<scrub_video, scrub_close> owned_;
};

/* Writes the cover art of a file or an address that need not contain a video, such as a song. Returns JSON. */
inline std::string write_cover_of(const std::string &file, const std::string &path, int stream = -1,
                                  const scrub_options &options = SCRUB_OPTIONS_INIT,
                                  const scrub_poster_options &poster = SCRUB_POSTER_OPTIONS_INIT) {
    detail::bytes made;
    detail::call(scrub_write_cover_of, detail::text(file), &options, detail::text(path), stream, &poster, &made.data, &made.count);
    return made.text();
}

/* Converts a thumbnail set to "vtt", "json", "hls", "dash", "jellyfin" or "bif". Returns JSON. */
inline std::string convert_set(const std::string &set, const std::string &format, const std::string &folder, std::uint32_t flags = 0,
                               int quality = 0, const char *base_url = nullptr) {
    detail::bytes made;
    detail::call(scrub_convert_set, detail::text(set), detail::text(format), detail::text(folder), flags, quality, base_url,
                 &made.data, &made.count);
    return made.text();
}

/* Memory and decoders that sessions share. */
class resources {
  public:
    /* memory: the maximum number of bytes of all pictures; 0: 256 MiB. decoders: the maximum number of open decoders;
     * 0: 4. */
    explicit resources(std::uint64_t memory = 0, int decoders = 0) { detail::call(scrub_resources_open, memory, decoders, owned_.place()); }
    scrub_resources *get() const noexcept { return owned_.get(); }
    scrub_memory memory() const {
        scrub_memory memory = SCRUB_MEMORY_INIT;
        detail::call(scrub_resources_get_memory, get(), &memory);
        return memory;
    }

  private:
    detail::owner<scrub_resources, scrub_resources_close> owned_;
};

/* A picture of a session. Copies of this object share the picture, and the last of them releases it. */
class picture {
  public:
    picture() = default;
    /* Takes ownership of a reference. */
    explicit picture(scrub_pixel_buffer *reference) noexcept : reference_(reference) {}
    picture(const picture &other) noexcept : reference_(other.reference_) { scrub_pixel_buffer_retain(reference_); }
    picture(picture &&other) noexcept : reference_(std::exchange(other.reference_, nullptr)) {}
    picture &operator=(picture other) noexcept {
        std::swap(reference_, other.reference_);
        return *this;
    }
    ~picture() { scrub_pixel_buffer_release(reference_); }

    explicit operator bool() const noexcept { return reference_ != nullptr; }
    scrub_pixel_buffer *get() const noexcept { return reference_; }

    image copy(std::uint32_t layout = SCRUB_RGB8, std::uint32_t flags = 0, int width = 0, int height = 0) const {
        return detail::fill(detail::wanted(layout, flags, width, height),
                            [&](scrub_picture *target) { detail::call(scrub_pixel_buffer_copy, reference_, target); });
    }
    /* The decoder's planes, valid while this object or a copy of it exists. */
    scrub_planes planes() const {
        scrub_planes planes = SCRUB_PLANES_INIT;
        detail::call(scrub_pixel_buffer_get_planes, reference_, &planes);
        return planes;
    }
    std::vector<std::uint8_t> encode(const scrub_image &image = SCRUB_IMAGE_INIT) const {
        detail::bytes made;
        detail::call(scrub_pixel_buffer_encode, reference_, &image, &made.data, &made.count);
        return made.content();
    }

  private:
    scrub_pixel_buffer *reference_ = nullptr;
};

/* An update from a session: the newest picture, or a failure. */
class update {
  public:
    explicit update(const scrub_update &said) : said_(said), picture_(said.picture) {}

    /* All fields. */
    const scrub_update &said() const noexcept { return said_; }
    int stage() const noexcept { return said_.stage; }
    std::uint64_t request() const noexcept { return said_.request; }
    std::int64_t frame() const noexcept { return said_.frame; }
    std::int64_t requested_frame() const noexcept { return said_.requested_frame; }
    bool is_exact() const noexcept { return said_.stage == SCRUB_STAGE_EXACT && said_.verdict == SCRUB_EXACT; }
    /* Whether no better picture follows for the request. */
    bool is_final() const noexcept { return said_.is_final != 0; }
    const scrub::picture &picture() const noexcept { return picture_; }

  private:
    scrub_update said_;
    scrub::picture picture_;
};

/* Frames during a drag. */
class session {
  public:
    explicit session(const video &video, const scrub_session_options &options = SCRUB_SESSION_OPTIONS_INIT) {
        detail::call(scrub_session_open, video.get(), &options, owned_.place());
    }
    /* Opens a session that shares resources with other sessions. */
    session(const video &video, const resources &shared, scrub_session_options options = SCRUB_SESSION_OPTIONS_INIT) {
        options.resources = shared.get();
        detail::call(scrub_session_open, video.get(), const_cast<const scrub_session_options *>(&options), owned_.place());
    }
    scrub_session *get() const noexcept { return owned_.get(); }

    /* The request functions return the number of the request. */
    std::uint64_t request(std::int64_t frame, std::uint32_t flags = 0) {
        return number([&](std::uint64_t *made) { detail::call(scrub_session_request, get(), frame, flags, made); });
    }
    std::uint64_t request_at(const std::string &position, std::uint32_t flags = 0) {
        return number([&](std::uint64_t *made) { detail::call(scrub_session_request_at, get(), detail::text(position), flags, none, made); });
    }
    std::uint64_t request_fraction(double fraction, std::uint32_t flags = 0) {
        return number([&](std::uint64_t *made) { detail::call(scrub_session_request_fraction, get(), fraction, flags, none, made); });
    }
    std::uint64_t request_seconds(double seconds, std::uint32_t flags = 0) {
        return number([&](std::uint64_t *made) { detail::call(scrub_session_request_seconds, get(), seconds, flags, none, made); });
    }
    void rest() { detail::call(scrub_session_rest, get()); }
    void cancel(std::uint64_t request = 0) { detail::call(scrub_session_cancel, get(), request); }

    /* A gesture. */
    std::uint64_t began(const char *position = nullptr) {
        return number([&](std::uint64_t *made) { detail::call(scrub_session_began, get(), position, made); });
    }
    std::uint64_t moved(double x, double width, double y = 0) {
        return number([&](std::uint64_t *made) { detail::call(scrub_session_moved, get(), x, y, width, none, made); });
    }
    std::uint64_t ended(std::uint32_t flags = 0) {
        return number([&](std::uint64_t *made) { detail::call(scrub_session_ended, get(), flags, made); });
    }

    /* Takes the newest update. Returns std::nullopt if no update arrives in time or wake() is called. milliseconds: the
     * maximum wait; below 0: no limit. */
    std::optional<update> take(std::int32_t milliseconds = -1) {
        scrub_update said = SCRUB_UPDATE_INIT;
        detail::call(scrub_session_take, get(), milliseconds, &said);
        if (said.stage == SCRUB_STAGE_NONE) return std::nullopt;
        return update(said);
    }
    /* Ends the wait of every take() call that is waiting. If none is waiting, the next call that would wait returns
     * immediately. */
    void wake() noexcept { scrub_session_wake(get()); }
    /* Returns a file descriptor that is readable while there is an update to take. Do not read from it or close it. */
    std::int32_t descriptor() const {
        std::int32_t descriptor = -1;
        detail::call(scrub_session_get_descriptor, get(), &descriptor);
        return descriptor;
    }
    /* Makes the previews around a frame. Returns whether all of them are ready. */
    bool prepare_previews(std::int64_t frame, std::int32_t milliseconds = -1) {
        std::int32_t done = 0;
        detail::call(scrub_session_prepare_previews, get(), frame, milliseconds, &done);
        return done != 0;
    }
    scrub_memory memory() const {
        scrub_memory memory = SCRUB_MEMORY_INIT;
        detail::call(scrub_session_get_memory, get(), &memory);
        return memory;
    }

  private:
    static constexpr std::int64_t *none = nullptr;

    template <class Call> static std::uint64_t number(Call &&call) {
        std::uint64_t made = 0;
        call(&made);
        return made;
    }

    detail::owner<scrub_session, scrub_session_close> owned_;
};

} // namespace scrub

#endif
