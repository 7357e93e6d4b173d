/* What the program and its plugin libwattree-torch.so say to each other. Plain C, so that the
 * compilers and standard libraries of the two may differ: the plugin is built against the PyTorch
 * it is to use. Nothing here may change without a new WATTREE_TORCH_ABI; a function that can fail
 * returns 0 for success and fills in the error otherwise. */
/* Names as C has them. NOLINTBEGIN(readability-identifier-naming) */
#ifndef WATTREE_SRC_EXEC_TORCH_ABI_H_
#define WATTREE_SRC_EXEC_TORCH_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WATTREE_TORCH_ABI 3
#define WATTREE_TORCH_SYMBOL "wattree_torch"
#define WATTREE_MAX_RANK 6

/* As of wattree::DType. */
enum {
  WATTREE_FLOAT32,
  WATTREE_BFLOAT16,
  WATTREE_FLOAT16,
  WATTREE_FLOAT64,
  WATTREE_INT64,
  WATTREE_INT32,
  WATTREE_INT8,
  WATTREE_BOOL,
  WATTREE_OTHER_DTYPE /* Only in what a script ran. */
};

enum {
  WATTREE_ERROR_INPUT =
      1, /* What was asked for does not fit: an unknown op, a file that is none. */
  WATTREE_ERROR_UNAVAILABLE, /* Not here, or not now: no such device, out of memory, device lost. */
  WATTREE_ERROR_INTERNAL
};

typedef struct WattreeError {
  int32_t code;
  char message[2000];
  char hint[500];
} WattreeError;

/* A strided piece of a storage; offset and strides count elements. */
typedef struct WattreeTensor {
  int32_t storage; /* Index into the program's storages. */
  int32_t dtype;
  int32_t rank;
  int64_t offset;
  int64_t size[WATTREE_MAX_RANK];
  int64_t stride[WATTREE_MAX_RANK];
} WattreeTensor;

/* One run of a kernel: first its inputs, then its outputs. */
typedef struct WattreeCall {
  const char* name;  /* ATen's, without overload. */
  const char* scope; /* For messages. */
  int32_t recorded; /* Which op of a script it is, with all the arguments it had there; -1: none. */
  int32_t inputs;
  int32_t outputs;
  int32_t number_count;
  const WattreeTensor* tensors;
  const double* numbers; /* Dimensions, flags, factors, as src/models/symbolic emits them. */
} WattreeCall;

typedef struct WattreeStorage {
  int64_t elements; /* At least. */
  int32_t dtype;
  int32_t is_weight;
  int32_t source; /* In a script: the storage that it is there. */
} WattreeStorage;

typedef struct WattreeProgram {
  const WattreeCall* calls;
  int64_t call_count;
  const WattreeStorage* storages;
  int64_t storage_count;
  int32_t allows_tf32;
} WattreeProgram;

typedef struct WattreeLaunchOptions {
  int32_t cache; /* As of wattree::CacheState. */
  int32_t copies;
  int32_t allow_graph;
} WattreeLaunchOptions;

typedef struct WattreeLaunchFacts {
  int32_t copies;
  int32_t is_graph;
  int32_t sets;     /* Of buffers that take turns. */
  int32_t unlinked; /* Operands that could not be what an earlier op made, and hold other values. */
  char why_eager[500];
} WattreeLaunchFacts;

typedef struct WattreeDeviceFacts {
  char name[200];
  char kind[16];
  char uuid[64];
  char pci_bus[32];
  char framework[64];
  int64_t cache_bytes;
  int64_t memory_bytes;
  int32_t multiprocessors;
  char note[500]; /* What the user should know of how kernels run here; mostly empty. */
} WattreeDeviceFacts;

/* What a script did while it ran once, in order. */
enum { WATTREE_EVENT_ENTER, WATTREE_EVENT_LEAVE, WATTREE_EVENT_OP };

typedef struct WattreeParameter {
  int32_t id; /* Its storage is -2 - id. */
  int64_t elements;
} WattreeParameter;

typedef struct WattreeEvent {
  int32_t kind;
  const char* name; /* Of a module its scope, of an op ATen's name without overload; null when a
                       module is left. */
  const char* type; /* A module's class. */
  /* An op's inputs and outputs; when a module is left, its first result, if it has one. */
  const WattreeTensor* tensors;
  int32_t inputs;
  int32_t outputs;
  const WattreeParameter* parameters; /* A module's own. */
  int32_t parameter_count;
} WattreeEvent;

typedef struct WattreeScriptOptions {
  const char* path;
  const char* const* inputs; /* "i64[16,128]<30522"; none: they are guessed. */
  int32_t input_count;
  int64_t batch;
  int64_t length;
} WattreeScriptOptions;

typedef struct WattreeScriptFacts {
  const WattreeEvent* events; /* As long as the script is open. */
  int64_t event_count;
  const char* inputs; /* What it ran on. */
  int32_t dtype;      /* Of its first floating-point parameter; float32 where there is none. */
} WattreeScriptFacts;

typedef struct WattreeDevice WattreeDevice;
typedef struct WattreeScript WattreeScript;
typedef struct WattreeLaunch WattreeLaunch;

typedef struct WattreeTorch {
  int32_t abi;
  int32_t (*open)(const char* device, WattreeDevice** out, WattreeDeviceFacts* facts,
                  WattreeError* error);
  void (*close)(WattreeDevice* device);
  /* What `program` points to is not needed after the call. `script`: where its calls were recorded;
   * null: nowhere. */
  int32_t (*prepare)(WattreeDevice* device, const WattreeScript* script,
                     const WattreeProgram* program, const WattreeLaunchOptions* options,
                     WattreeLaunch** out, WattreeLaunchFacts* facts, WattreeError* error);
  int32_t (*start)(WattreeLaunch* launch, WattreeError* error);
  int32_t (*wait)(WattreeLaunch* launch, WattreeError* error);
  void (*release)(WattreeLaunch* launch);
  /* Loads a TorchScript file and runs it once. It must be closed before its device, and after its
   * launches. */
  int32_t (*open_script)(WattreeDevice* device, const WattreeScriptOptions* options,
                         WattreeScript** out, WattreeScriptFacts* facts, WattreeError* error);
  void (*close_script)(WattreeScript* script);
  /* How far the results of `program`, the whole script, are from what the framework itself returns
   * for the same inputs: the largest difference of two numbers, over all that is returned. */
  int32_t (*compare)(WattreeDevice* device, WattreeScript* script, const WattreeProgram* program,
                     double* difference, WattreeError* error);
} WattreeTorch;

/* The plugin's one exported symbol is a function of this type, named WATTREE_TORCH_SYMBOL. */
typedef const WattreeTorch* (*WattreeTorchEntry)(void);

#ifdef __cplusplus
}
#endif

#endif /* WATTREE_SRC_EXEC_TORCH_ABI_H_ */
/* NOLINTEND(readability-identifier-naming) */
