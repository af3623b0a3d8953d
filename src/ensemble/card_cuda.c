/* NVIDIA's cards: the driver and the compiler NVRTC, both opened when first asked for, by declarations of our own: a
   build needs nothing of CUDA. */
#include "ensemble/card.h"

#include "base/library.h"
#include "base/mem.h"
#include "base/try.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- of the driver ---- */

typedef int cu_result;
typedef int cu_device;
typedef void *cu_handle; /* of a context, module, function, stream */
typedef uint64_t cu_pointer;

enum { CU_OK = 0, CU_NOT_READY = 600, CU_MULTIPROCESSORS = 16, CU_MAJOR = 75, CU_MINOR = 76, CU_NON_BLOCKING = 1 };

cu_result cuInit(unsigned flags);
cu_result cuGetErrorString(cu_result error, const char **text);
cu_result cuDeviceGetCount(int *count);
cu_result cuDeviceGet(cu_device *device, int ordinal);
cu_result cuDeviceGetName(char *name, int length, cu_device device);
cu_result cuDeviceGetAttribute(int *value, int attribute, cu_device device);
cu_result cuDevicePrimaryCtxRetain(cu_handle *context, cu_device device);
cu_result cuDevicePrimaryCtxRelease_v2(cu_device device);
cu_result cuCtxSetCurrent(cu_handle context);
cu_result cuModuleLoadData(cu_handle *module, const void *image);
cu_result cuModuleUnload(cu_handle module);
cu_result cuModuleGetFunction(cu_handle *function, cu_handle module, const char *name);
cu_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cu_handle function, int size, size_t shared);
cu_result cuMemAlloc_v2(cu_pointer *to, size_t bytes);
cu_result cuMemFree_v2(cu_pointer at);
cu_result cuMemcpyHtoDAsync_v2(cu_pointer to, const void *from, size_t bytes, cu_handle stream);
cu_result cuMemcpyDtoHAsync_v2(void *to, cu_pointer from, size_t bytes, cu_handle stream);
cu_result cuStreamCreate(cu_handle *stream, unsigned flags);
cu_result cuStreamQuery(cu_handle stream);
cu_result cuStreamSynchronize(cu_handle stream);
cu_result cuStreamDestroy_v2(cu_handle stream);
cu_result cuLaunchKernel(cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y,
                         unsigned z, unsigned shared, cu_handle stream, void **arguments, void **extra);

#define OF_DRIVER(X)                                                                                                   \
    X(cuInit)                                                                                                          \
    X(cuGetErrorString)                                                                                                \
    X(cuDeviceGetCount)                                                                                                \
    X(cuDeviceGet)                                                                                                     \
    X(cuDeviceGetName)                                                                                                 \
    X(cuDeviceGetAttribute)                                                                                            \
    X(cuDevicePrimaryCtxRetain)                                                                                        \
    X(cuDevicePrimaryCtxRelease_v2)                                                                                    \
    X(cuCtxSetCurrent)                                                                                                 \
    X(cuModuleLoadData)                                                                                                \
    X(cuModuleUnload)                                                                                                  \
    X(cuModuleGetFunction)                                                                                             \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                                     \
    X(cuMemAlloc_v2)                                                                                                   \
    X(cuMemFree_v2)                                                                                                    \
    X(cuMemcpyHtoDAsync_v2)                                                                                            \
    X(cuMemcpyDtoHAsync_v2)                                                                                            \
    X(cuStreamCreate)                                                                                                  \
    X(cuStreamQuery)                                                                                                   \
    X(cuStreamSynchronize)                                                                                             \
    X(cuStreamDestroy_v2)                                                                                              \
    X(cuLaunchKernel)
LIBRARY(driver, OF_DRIVER, "libcuda.so.1")

/* ---- of the compiler ---- */

typedef int rtc_result;
typedef void *rtc_program;

rtc_result nvrtcCreateProgram(rtc_program *program, const char *text, const char *name, int headers,
                              const char *const *header_texts, const char *const *header_names);
rtc_result nvrtcDestroyProgram(rtc_program *program);
rtc_result nvrtcCompileProgram(rtc_program program, int count, const char *const *options);
rtc_result nvrtcGetProgramLogSize(rtc_program program, size_t *size);
rtc_result nvrtcGetProgramLog(rtc_program program, char *log);
rtc_result nvrtcGetCUBINSize(rtc_program program, size_t *size);
rtc_result nvrtcGetCUBIN(rtc_program program, char *code);
rtc_result nvrtcGetPTXSize(rtc_program program, size_t *size);
rtc_result nvrtcGetPTX(rtc_program program, char *code);

#define OF_COMPILER(X)                                                                                                 \
    X(nvrtcCreateProgram)                                                                                              \
    X(nvrtcDestroyProgram)                                                                                             \
    X(nvrtcCompileProgram)                                                                                             \
    X(nvrtcGetProgramLogSize)                                                                                          \
    X(nvrtcGetProgramLog)                                                                                              \
    X(nvrtcGetCUBINSize)                                                                                               \
    X(nvrtcGetCUBIN)                                                                                                   \
    X(nvrtcGetPTXSize)                                                                                                 \
    X(nvrtcGetPTX)

static struct {
    OF_COMPILER(LIBRARY_POINTER)
} compiler;

/* Its name has a number that changes with every version of the toolkit. */
static int compiler_open(void)
{
    static const char *const names[] = {OF_COMPILER(LIBRARY_NAME)};
    static library places[] = {
        {"libnvrtc.so", names, sizeof names / sizeof *names, &compiler, 0},
        {"libnvrtc.so.13", names, sizeof names / sizeof *names, &compiler, 0},
        {"libnvrtc.so.12", names, sizeof names / sizeof *names, &compiler, 0},
        {"libnvrtc.so.11.2", names, sizeof names / sizeof *names, &compiler, 0},
        {"/usr/local/cuda/lib64/libnvrtc.so", names, sizeof names / sizeof *names, &compiler, 0},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (library_open(&places[i])) return 1;
    return 0;
}

/* ---- words ---- */

static mech_status trouble(char why[CARD_REASON], const char *what, cu_result error)
{
    const char *words = NULL;
    if (driver.cuGetErrorString(error, &words) != CU_OK || !words) words = "no reason is given";
    snprintf(why, CARD_REASON, "%s: %s (error %d of the driver)", what, words, error);
    return MECH_ERR_UNSUPPORTED;
}

#define CU_TRY(what, call)                                                                                             \
    do {                                                                                                               \
        const cu_result cu_error = (call);                                                                             \
        if (cu_error != CU_OK) return trouble(why, what, cu_error);                                                    \
    } while (0)

/* ---- text to code ---- */

/* The first line of the log that speaks of an error. */
static void tell_log(rtc_program program, char why[CARD_REASON])
{
    size_t size = 0;
    snprintf(why, CARD_REASON, "NVRTC does not compile the code");
    if (compiler.nvrtcGetProgramLogSize(program, &size) != 0 || size < 2) return;
    char *log = mem_zeroed(size + 1, 1);
    if (!log) return;
    if (compiler.nvrtcGetProgramLog(program, log) == 0) {
        const char *line = strstr(log, "error");
        line = line ? line : log;
        snprintf(why, CARD_REASON, "NVRTC does not compile the code: %.*s", (int)strcspn(line, "\n"), line);
    }
    mem_free(log);
}

static char *take_code(rtc_program program, int is_real)
{
    size_t size = 0;
    char *code = NULL;
    if ((is_real ? compiler.nvrtcGetCUBINSize : compiler.nvrtcGetPTXSize)(program, &size) != 0 || size == 0)
        return NULL;
    code = mem_zeroed(size + 1, 1);
    if (code && (is_real ? compiler.nvrtcGetCUBIN : compiler.nvrtcGetPTX)(program, code) == 0) return code;
    mem_free(code);
    return NULL;
}

mech_status card_compile(const char *text, const char *architecture, char **code, char why[CARD_REASON])
{
    char option[64];
    rtc_program program = NULL;
    *code = NULL;
    snprintf(why, CARD_REASON, "NVRTC was not found (libnvrtc.so): it comes with the CUDA toolkit");
    if (!compiler_open()) return MECH_ERR_UNSUPPORTED;
    snprintf(option, sizeof option, "--gpu-architecture=%s", architecture);
    const char *const options[] = {option, "--std=c++14", "-w"};
    snprintf(why, CARD_REASON, "NVRTC does not begin");
    if (compiler.nvrtcCreateProgram(&program, text, "runs.cu", 0, NULL, NULL) != 0) return MECH_ERR_UNSUPPORTED;
    const int is_compiled = compiler.nvrtcCompileProgram(program, sizeof options / sizeof *options, options) == 0;
    if (is_compiled) *code = take_code(program, strncmp(architecture, "sm_", 3) == 0);
    else tell_log(program, why);
    compiler.nvrtcDestroyProgram(&program);
    return *code ? MECH_OK : is_compiled ? MECH_ERR_MEMORY : MECH_ERR_UNSUPPORTED;
}

/* ---- a program ---- */

typedef struct program_on {
    cu_device device;
    cu_handle context, module, function;
    char name[128];
    unsigned most_blocks; /* that are on the card at a time */
} program_on;

static void unload(void *of)
{
    program_on *p = of;
    if (!p) return;
    if (p->context) {
        (void)driver.cuCtxSetCurrent(p->context);
        if (p->module) (void)driver.cuModuleUnload(p->module);
        (void)driver.cuDevicePrimaryCtxRelease_v2(p->device);
    }
    mem_free(p);
}

static mech_status find_device(program_on *p, char architecture[16], char why[CARD_REASON])
{
    int count = 0, major = 0, minor = 0;
    snprintf(why, CARD_REASON, "no NVIDIA driver was found (libcuda.so.1)");
    if (!driver_open()) return MECH_ERR_UNSUPPORTED;
    CU_TRY("the NVIDIA driver does not begin", driver.cuInit(0));
    CU_TRY("the NVIDIA driver names no card", driver.cuDeviceGetCount(&count));
    snprintf(why, CARD_REASON, "the NVIDIA driver finds no card");
    if (count < 1) return MECH_ERR_UNSUPPORTED;
    CU_TRY("the first card is not there", driver.cuDeviceGet(&p->device, 0));
    CU_TRY("the card has no name", driver.cuDeviceGetName(p->name, sizeof p->name, p->device));
    CU_TRY("the card does not say what it is", driver.cuDeviceGetAttribute(&major, CU_MAJOR, p->device));
    CU_TRY("the card does not say what it is", driver.cuDeviceGetAttribute(&minor, CU_MINOR, p->device));
    snprintf(architecture, 16, "sm_%d%d", major, minor);
    CU_TRY("the card cannot be used", driver.cuDevicePrimaryCtxRetain(&p->context, p->device));
    CU_TRY("the card cannot be used", driver.cuCtxSetCurrent(p->context));
    return MECH_OK;
}

static mech_status load_code(program_on *p, const char *code, char why[CARD_REASON])
{
    int processors = 1, blocks = 1;
    CU_TRY("the code is not loaded", driver.cuModuleLoadData(&p->module, code));
    CU_TRY("the code has no runs", driver.cuModuleGetFunction(&p->function, p->module, "card_runs"));
    CU_TRY("the card does not say how large it is",
           driver.cuDeviceGetAttribute(&processors, CU_MULTIPROCESSORS, p->device));
    CU_TRY("the card does not say how many runs it takes",
           driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, p->function, CARD_THREADS, 0));
    p->most_blocks = (unsigned)processors * (unsigned)(blocks > 0 ? blocks : 1);
    return MECH_OK;
}

static mech_status load(const char *text, size_t length, void **program, char why[CARD_REASON])
{
    (void)length;
    char architecture[16], *code = NULL;
    *program = NULL;
    program_on *p = mem_zeroed(1, sizeof *p);
    if (!p) return MECH_ERR_MEMORY;
    mech_status status = find_device(p, architecture, why);
    if (status == MECH_OK) status = card_compile(text, architecture, &code, why);
    if (status == MECH_OK) status = load_code(p, code, why);
    mem_free(code);
    if (status == MECH_OK) *program = p;
    else unload(p);
    return status;
}

static const char *name(const void *program) { return ((const program_on *)program)->name; }

/* ---- a line: arrays and streams of one thread ---- */

typedef struct line_on {
    const program_on *of;
    card_shape shape;
    cu_handle stream, aside; /* `aside` brings the stop while the other is busy */
    cu_pointer start, measures, ended, states, steps, control;
    int stop;
} line_on;

typedef struct control { /* on the card */
    unsigned long long next;
    int stop, unused;
} control;

static void close_line(void *of)
{
    line_on *l = of;
    if (!l) return;
    (void)driver.cuCtxSetCurrent(l->of->context);
    if (l->stream) (void)driver.cuStreamSynchronize(l->stream);
    const cu_pointer all[] = {l->start, l->measures, l->ended, l->states, l->steps, l->control};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]) (void)driver.cuMemFree_v2(all[i]);
    if (l->stream) (void)driver.cuStreamDestroy_v2(l->stream);
    if (l->aside) (void)driver.cuStreamDestroy_v2(l->aside);
    mem_free(l);
}

static mech_status make_line(line_on *l, char why[CARD_REASON])
{
    const size_t runs = l->shape.runs;
    CU_TRY("the card cannot be used", driver.cuCtxSetCurrent(l->of->context));
    CU_TRY("there is no line to the card", driver.cuStreamCreate(&l->stream, CU_NON_BLOCKING));
    CU_TRY("there is no line to the card", driver.cuStreamCreate(&l->aside, CU_NON_BLOCKING));
    CU_TRY("the card has no memory", driver.cuMemAlloc_v2(&l->start, runs * l->shape.rows * sizeof(double)));
    CU_TRY("the card has no memory",
           driver.cuMemAlloc_v2(&l->measures, runs * (l->shape.measures + 1) * sizeof(double)));
    CU_TRY("the card has no memory", driver.cuMemAlloc_v2(&l->ended, runs * sizeof(double)));
    CU_TRY("the card has no memory", driver.cuMemAlloc_v2(&l->states, runs * sizeof(int)));
    CU_TRY("the card has no memory", driver.cuMemAlloc_v2(&l->steps, runs * sizeof(unsigned)));
    CU_TRY("the card has no memory", driver.cuMemAlloc_v2(&l->control, sizeof(control)));
    return MECH_OK;
}

static mech_status open_line(void *program, const card_shape *shape, void **line, char why[CARD_REASON])
{
    *line = NULL;
    line_on *l = mem_zeroed(1, sizeof *l);
    if (!l) return MECH_ERR_MEMORY;
    l->of = program;
    l->shape = *shape;
    const mech_status status = make_line(l, why);
    if (status == MECH_OK) *line = l;
    else close_line(l);
    return status;
}

static unsigned blocks_for(const line_on *l, size_t count)
{
    const size_t wanted = (count + CARD_THREADS - 1) / CARD_THREADS;
    return wanted < l->of->most_blocks ? (unsigned)wanted : l->of->most_blocks;
}

static mech_status send(void *of, const card_block *b, char why[CARD_REASON])
{
    static const control none = {0};
    line_on *l = of;
    /* pointers of the card are numbers here */
    card_job job = {.count = b->count,
                    .start = (const double *)(uintptr_t)l->start,
                    .measures = (double *)(uintptr_t)l->measures,
                    .ended = (double *)(uintptr_t)l->ended,
                    .states = (int *)(uintptr_t)l->states,
                    .steps = (unsigned *)(uintptr_t)l->steps,
                    .next = (unsigned long long *)(uintptr_t)l->control,
                    .stop = (const int *)(uintptr_t)(l->control + offsetof(control, stop)),
                    .step = b->step,
                    .most_steps = b->most_steps};
    void *arguments[] = {&job};
    l->stop = 0;
    CU_TRY("the card cannot be used", driver.cuCtxSetCurrent(l->of->context));
    CU_TRY("the card takes no runs", driver.cuMemcpyHtoDAsync_v2(l->control, &none, sizeof none, l->stream));
    CU_TRY("the card takes no runs",
           driver.cuMemcpyHtoDAsync_v2(l->start, b->start, b->count * l->shape.rows * sizeof(double), l->stream));
    CU_TRY("the card makes no runs", driver.cuLaunchKernel(l->of->function, blocks_for(l, b->count), 1, 1, CARD_THREADS,
                                                           1, 1, 0, l->stream, arguments, NULL));
    return MECH_OK;
}

static mech_status ask(void *of, int stops, int *is_done, char why[CARD_REASON])
{
    line_on *l = of;
    static const int one = 1;
    if (stops && !l->stop) {
        l->stop = 1;
        CU_TRY("the card does not stop",
               driver.cuMemcpyHtoDAsync_v2(l->control + offsetof(control, stop), &one, sizeof one, l->aside));
    }
    const cu_result result = driver.cuStreamQuery(l->stream);
    *is_done = result == CU_OK;
    return result == CU_OK || result == CU_NOT_READY ? MECH_OK : trouble(why, "the card failed", result);
}

static mech_status fetch(void *of, const card_block *b, char why[CARD_REASON])
{
    line_on *l = of;
    const struct {
        void *to;
        cu_pointer from;
        size_t bytes;
    } all[] = {{b->measures, l->measures, b->count * l->shape.measures * sizeof(double)},
               {b->ended, l->ended, b->count * sizeof(double)},
               {b->states, l->states, b->count * sizeof(int)},
               {b->steps, l->steps, b->count * sizeof(unsigned)}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].bytes)
            CU_TRY("the card gives nothing back",
                   driver.cuMemcpyDtoHAsync_v2(all[i].to, all[i].from, all[i].bytes, l->stream));
    CU_TRY("the card gives nothing back", driver.cuStreamSynchronize(l->stream));
    return MECH_OK;
}

const card_kind card_cuda = {.load = load,
                             .unload = unload,
                             .name = name,
                             .open = open_line,
                             .close = close_line,
                             .send = send,
                             .ask = ask,
                             .fetch = fetch};
