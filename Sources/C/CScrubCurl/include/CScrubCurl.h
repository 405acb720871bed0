#ifndef SCRUB_CCURL_H
#define SCRUB_CCURL_H

#include <stddef.h>
#include <stdint.h>

// libcurl is loaded when the first network address is requested, not with the program. It brings in some thirty
// libraries that local files do not need. The parts that are used are declared here, so its headers are not needed to
// build. Its functions and numbers have not changed their meaning since 7.74, and its name remains libcurl.so.4 as long
// as they do not.

/// A libcurl transfer (`CURL`). Use from one thread at a time.
typedef struct ccurl_easy ccurl_easy;
/// Several parallel transfers (`CURLM`). Use from one thread at a time, except for ccurl_multi_wakeup().
typedef struct ccurl_multi ccurl_multi;
/// A list of strings (`struct curl_slist`).
typedef struct ccurl_list ccurl_list;

/// Loads libcurl once; may be called from any thread. Returns NULL, or the reason for a failure as a clause that stays
/// valid.
const char *_Nullable ccurl_load(void);

/// Does the same for a library with another name, which is loaded each time and not kept. Returns the reason for a
/// failure, or NULL.
const char *_Nullable ccurl_check(const char *_Nonnull name);

/// The loaded version, such as 0x075801 for 7.88.1; 0 before ccurl_load().
unsigned int ccurl_version(void);

/// The number of the option with a name ("URL") in the loaded library. -1 if the library lacks the option or was built
/// without these lookups.
int ccurl_option_number(const char *_Nonnull name);

// Options of a transfer: the numbers of libcurl's interface, each of them the sum of its kind's base (long 0, pointer
// 10000, function 20000) and its own number.
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
    // The data to send.
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

/// HTTP/2 over TLS if both sides support it, or else HTTP/1.1 (`CURL_HTTP_VERSION_2TLS`).
enum { CCURL_HTTP_VERSION_2TLS = 4 };

/// The bits of CCURL_PROTOCOLS.
enum { CCURL_PROTOCOL_HTTP = 1, CCURL_PROTOCOL_HTTPS = 2 };

// The available information about a transfer: long numbers, and times in microseconds since its start.
enum {
    CCURL_INFO_RESPONSE_CODE = 0x200002,
    CCURL_INFO_HTTP_CONNECTCODE = 0x200016,
    CCURL_INFO_NUM_CONNECTS = 0x20001A,
    CCURL_INFO_CONNECT_TIME = 0x600034,
    CCURL_INFO_PRETRANSFER_TIME = 0x600035,
    CCURL_INFO_STARTTRANSFER_TIME = 0x600036,
    CCURL_INFO_APPCONNECT_TIME = 0x600038,
};

// How a transfer ended (`CURLcode`), as far as it matters.
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

/// The size of an ERRORBUFFER in bytes.
enum { CCURL_ERROR_SIZE = 256 };

/// Receives bytes of a body (WRITEFUNCTION) or one header line (HEADERFUNCTION); returning less than `size * count`
/// ends the transfer.
typedef size_t (*ccurl_data_function)(
    char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);

/// Returns whether a connection to an address is allowed: 4 or 16 bytes, or none for other kinds of addresses.
typedef int (*ccurl_judge_function)(void *_Nullable context, const uint8_t *_Nullable bytes, size_t count);

// All functions below require that ccurl_load() has returned NULL. Functions that can fail return 0 for success unless
// stated otherwise.

ccurl_easy *_Nullable ccurl_easy_init(void);
void ccurl_easy_cleanup(ccurl_easy *_Nonnull easy);
int ccurl_set_long(ccurl_easy *_Nonnull easy, int option, long value);
int ccurl_set_offset(ccurl_easy *_Nonnull easy, int option, int64_t value);
int ccurl_set_text(ccurl_easy *_Nonnull easy, int option, const char *_Nullable text);
int ccurl_set_pointer(ccurl_easy *_Nonnull easy, int option, void *_Nullable pointer);
int ccurl_set_list(ccurl_easy *_Nonnull easy, int option, ccurl_list *_Nullable list);
int ccurl_set_data_function(ccurl_easy *_Nonnull easy, int option, ccurl_data_function _Nonnull function);
/// Checks every connection before it is made, and closes its descriptor in programs that this process starts.
/// OPENSOCKETFUNCTION and OPENSOCKETDATA; `judge` and `context` must outlive the transfer.
typedef struct {
    ccurl_judge_function _Nonnull function;
    void *_Nullable context;
} ccurl_judge;
int ccurl_set_judge(ccurl_easy *_Nonnull easy, ccurl_judge *_Nonnull judge);
/// Performs a transfer on the calling thread until it ends. Returns its code.
int ccurl_easy_perform(ccurl_easy *_Nonnull easy);
/// Resets all options; connections are kept.
void ccurl_easy_reset(ccurl_easy *_Nonnull easy);
/// Returns a CCURL_INFO number; -1 if there is none.
int64_t ccurl_info(ccurl_easy *_Nonnull easy, int info);
/// Returns libcurl's description of a code.
const char *_Nonnull ccurl_code_text(int code);

/// Returns a longer list; NULL if out of memory, in which case the old list remains valid.
ccurl_list *_Nullable ccurl_list_append(ccurl_list *_Nullable list, const char *_Nonnull text);
void ccurl_list_free(ccurl_list *_Nullable list);

ccurl_multi *_Nullable ccurl_multi_init(void);
int ccurl_multi_cleanup(ccurl_multi *_Nonnull multi);
/// Sets the maximum number of idle connections to keep.
int ccurl_multi_set_kept_connections(ccurl_multi *_Nonnull multi, long count);
int ccurl_multi_add(ccurl_multi *_Nonnull multi, ccurl_easy *_Nonnull easy);
int ccurl_multi_remove(ccurl_multi *_Nonnull multi, ccurl_easy *_Nonnull easy);
/// Does all work that does not require waiting. Never returns once the process is exiting.
int ccurl_multi_perform(ccurl_multi *_Nonnull multi);
/// Waits until there is work to do, ccurl_multi_wakeup() is called, or the time has elapsed.
int ccurl_multi_poll(ccurl_multi *_Nonnull multi, int milliseconds);
/// Ends the current wait or the next one; may be called from any thread.
int ccurl_multi_wakeup(ccurl_multi *_Nonnull multi);
/// Returns the next transfer that has ended since the last call, with its result; NULL if there is none.
ccurl_easy *_Nullable ccurl_multi_next_done(ccurl_multi *_Nonnull multi, int *_Nonnull code);

/// Blocks all signals in the calling thread, because SSL libraries write to closed connections.
void ccurl_block_signals(void);

#endif
