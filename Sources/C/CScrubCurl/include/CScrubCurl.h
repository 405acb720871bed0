#ifndef SCRUB_CCURL_H
#define SCRUB_CCURL_H

#include <stddef.h>
#include <stdint.h>

// libcurl is loaded when the first address on the network is asked, not with the program. It brings some thirty
// libraries that local files do not need. What is used of it is declared here, so no header of it is needed to build.
// Its functions and numbers have not changed their meaning since 7.74, and its name stays libcurl.so.4 as long as that
// is so.

/// One transfer of libcurl's (`CURL`). One thread at a time.
typedef struct ccurl_easy ccurl_easy;
/// Several transfers side by side (`CURLM`). One thread at a time, except for ccurl_multi_wakeup().
typedef struct ccurl_multi ccurl_multi;
/// A list of texts (`struct curl_slist`).
typedef struct ccurl_list ccurl_list;

/// Loads libcurl, once; any thread. Returns NULL, or the reason for a failure: a clause that stays valid.
const char *_Nullable ccurl_load(void);

/// The same for a library of another name, loaded each time and not kept. Returns the reason for a failure, or NULL.
const char *_Nullable ccurl_check(const char *_Nonnull name);

/// The version that was loaded, such as 0x075801 for 7.88.1; 0 before ccurl_load().
unsigned int ccurl_version(void);

/// The number of the option of a name ("URL"), as the loaded library has it. -1 when it lacks the option, or was built
/// without such look-ups.
int ccurl_option_number(const char *_Nonnull name);

// Options of a transfer: the numbers of libcurl's interface, each of them its kind's base (long 0, pointer 10000,
// function 20000) and a number of its own.
enum {
    CCURL_WRITEDATA = 10001,
    CCURL_URL = 10002,
    CCURL_PROXY = 10004,
    CCURL_ERRORBUFFER = 10010,
    CCURL_USERAGENT = 10018,
    CCURL_HTTPHEADER = 10023,
    CCURL_HEADERDATA = 10029,
    CCURL_CAINFO = 10065,
    CCURL_OPENSOCKETDATA = 10164,
    CCURL_NOPROXY = 10177,
    CCURL_WRITEFUNCTION = 20011,
    CCURL_HEADERFUNCTION = 20079,
    CCURL_OPENSOCKETFUNCTION = 20163,
    CCURL_FOLLOWLOCATION = 52,
    CCURL_HTTP_VERSION = 84,
    CCURL_BUFFERSIZE = 98,
    CCURL_NOSIGNAL = 99,
    CCURL_CONNECTTIMEOUT_MS = 156,
    CCURL_HTTP_CONTENT_DECODING = 158,
    CCURL_PROTOCOLS = 181,
    CCURL_TCP_KEEPALIVE = 213,
    CCURL_PATH_AS_IS = 234,
    CCURL_PIPEWAIT = 237,
    CCURL_SUPPRESS_CONNECT_HEADERS = 265,
    CCURL_HTTP09_ALLOWED = 285,
    CCURL_MAXAGE_CONN = 288,
    /// Since 7.87.
    CCURL_QUICK_EXIT = 322,
    // What is sent.
    CCURL_LOW_SPEED_LIMIT = 19,
    CCURL_LOW_SPEED_TIME = 20,
    CCURL_NOBODY = 44,
    CCURL_UPLOAD = 46,
    CCURL_READDATA = 10009,
    CCURL_CUSTOMREQUEST = 10036,
    CCURL_USERNAME = 10173,
    CCURL_PASSWORD = 10174,
    /// Since 7.75.
    CCURL_AWS_SIGV4 = 10305,
    CCURL_READFUNCTION = 20012,
    CCURL_INFILESIZE = 30115,
};

/// The value that a READFUNCTION returns to end the transfer.
enum { CCURL_READ_ABORT = 0x10000000 };

/// HTTP/2 over TLS where both know it, else HTTP/1.1 (`CURL_HTTP_VERSION_2TLS`).
enum { CCURL_HTTP_VERSION_2TLS = 4 };

/// The bits of CCURL_PROTOCOLS.
enum { CCURL_PROTOCOL_HTTP = 1, CCURL_PROTOCOL_HTTPS = 2 };

// What can be asked of a transfer: long numbers, and times in microseconds since its start.
enum {
    CCURL_INFO_RESPONSE_CODE = 0x200002,
    CCURL_INFO_HTTP_CONNECTCODE = 0x200016,
    CCURL_INFO_NUM_CONNECTS = 0x20001A,
    CCURL_INFO_CONNECT_TIME = 0x600034,
    CCURL_INFO_PRETRANSFER_TIME = 0x600035,
    CCURL_INFO_STARTTRANSFER_TIME = 0x600036,
    CCURL_INFO_APPCONNECT_TIME = 0x600038,
};

// How a transfer ended (`CURLcode`), as far as it makes a difference.
enum {
    CCURL_OK = 0,
    CCURL_UNSUPPORTED_PROTOCOL = 1,
    CCURL_URL_MALFORMAT = 3,
    CCURL_COULDNT_RESOLVE_PROXY = 5,
    CCURL_COULDNT_RESOLVE_HOST = 6,
    CCURL_COULDNT_CONNECT = 7,
    CCURL_WEIRD_SERVER_REPLY = 8,
    CCURL_HTTP2 = 16,
    CCURL_PARTIAL_FILE = 18,
    CCURL_OUT_OF_MEMORY = 27,
    CCURL_OPERATION_TIMEDOUT = 28,
    CCURL_SSL_CONNECT_ERROR = 35,
    CCURL_TOO_LARGE = 100,
    CCURL_GOT_NOTHING = 52,
    CCURL_SEND_ERROR = 55,
    CCURL_RECV_ERROR = 56,
    CCURL_SSL_CERTPROBLEM = 58,
    CCURL_SSL_CIPHER = 59,
    CCURL_PEER_FAILED_VERIFICATION = 60,
    CCURL_BAD_CONTENT_ENCODING = 61,
    CCURL_SSL_CACERT_BADFILE = 77,
    CCURL_SSL_ISSUER_ERROR = 83,
    CCURL_SSL_INVALIDCERTSTATUS = 91,
    CCURL_HTTP2_STREAM = 92,
    CCURL_PROXY_ERROR = 97,
};

/// Bytes that an ERRORBUFFER needs.
enum { CCURL_ERROR_SIZE = 256 };

/// Bytes of a body (WRITEFUNCTION) or one line of a head (HEADERFUNCTION); fewer than `size * count` ends the transfer.
typedef size_t (*ccurl_data_function)(
    char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);

/// Whether a connection may go to an address: 4 or 16 bytes, or none for other kinds of addresses.
typedef int (*ccurl_judge_function)(void *_Nullable context, const uint8_t *_Nullable bytes, size_t count);

// All below need ccurl_load() to have returned NULL. What can fail returns 0 for success unless it says otherwise.

ccurl_easy *_Nullable ccurl_easy_init(void);
void ccurl_easy_cleanup(ccurl_easy *_Nonnull easy);
int ccurl_set_long(ccurl_easy *_Nonnull easy, int option, long value);
int ccurl_set_offset(ccurl_easy *_Nonnull easy, int option, int64_t value);
int ccurl_set_text(ccurl_easy *_Nonnull easy, int option, const char *_Nullable text);
int ccurl_set_pointer(ccurl_easy *_Nonnull easy, int option, void *_Nullable pointer);
int ccurl_set_list(ccurl_easy *_Nonnull easy, int option, ccurl_list *_Nullable list);
int ccurl_set_data_function(ccurl_easy *_Nonnull easy, int option, ccurl_data_function _Nonnull function);
/// Has every connection judged before it is made, and its descriptor closed in programs that this process starts.
/// OPENSOCKETFUNCTION and OPENSOCKETDATA; `judge` and `context` must outlive the transfer.
typedef struct {
    ccurl_judge_function _Nonnull function;
    void *_Nullable context;
} ccurl_judge;
int ccurl_set_judge(ccurl_easy *_Nonnull easy, ccurl_judge *_Nonnull judge);
/// Does a transfer on the calling thread, to its end. Returns its code.
int ccurl_easy_perform(ccurl_easy *_Nonnull easy);
/// Takes all options back; connections are kept.
void ccurl_easy_reset(ccurl_easy *_Nonnull easy);
/// A number of CCURL_INFO; -1 without one.
int64_t ccurl_info(ccurl_easy *_Nonnull easy, int info);
/// The meaning of a code, in libcurl's words.
const char *_Nonnull ccurl_code_text(int code);

/// A longer list; NULL without memory, and then the old one stands.
ccurl_list *_Nullable ccurl_list_append(ccurl_list *_Nullable list, const char *_Nonnull text);
void ccurl_list_free(ccurl_list *_Nullable list);

ccurl_multi *_Nullable ccurl_multi_init(void);
int ccurl_multi_cleanup(ccurl_multi *_Nonnull multi);
/// The most idle connections that are kept.
int ccurl_multi_set_kept_connections(ccurl_multi *_Nonnull multi, long count);
int ccurl_multi_add(ccurl_multi *_Nonnull multi, ccurl_easy *_Nonnull easy);
int ccurl_multi_remove(ccurl_multi *_Nonnull multi, ccurl_easy *_Nonnull easy);
/// Does all work that needs no waiting. Never returns once the process is at its end.
int ccurl_multi_perform(ccurl_multi *_Nonnull multi);
/// Waits until something can be done, ccurl_multi_wakeup() was called or the time is over.
int ccurl_multi_poll(ccurl_multi *_Nonnull multi, int milliseconds);
/// Ends a wait, or the next one; any thread.
int ccurl_multi_wakeup(ccurl_multi *_Nonnull multi);
/// The next transfer that ended since it was asked last, and how; NULL without one.
ccurl_easy *_Nullable ccurl_multi_next_done(ccurl_multi *_Nonnull multi, int *_Nonnull code);

/// Keeps every signal from the calling thread: SSL libraries write to closed connections.
void ccurl_block_signals(void);

#endif
