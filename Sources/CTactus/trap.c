// SPDX-License-Identifier: Apache-2.0
//
// In C because all of a signal handler must be safe there: no allocation, no locks, no Swift.
#define _GNU_SOURCE
#include "trap.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define FRAMES_MAX 64    // an endless recursion has more; its first ones tell
#define BUILD_ID_MAX 20  // bytes that are shown

// The program's first and last address, from the linker; the end of the first thread's stack, from
// the dynamic linker.
extern const ElfW(Ehdr) __ehdr_start;
extern const char _end[];
extern void *__libc_stack_end;

static const struct {
  int number;
  const char *name;
} signals[] = {
    {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGSEGV, "SIGSEGV"},
    {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"},
};
#define SIGNALS (sizeof signals / sizeof *signals)

static const char *program_name;
static void (*final_action)(void);
static char build_id[2 * BUILD_ID_MAX + 1] = "without id";

// A trap may be the end of the stack, so the handler has its own.
static char handler_stack[64 * 1024];

struct line {
  char text[160];
  size_t length;
};

static void add(struct line *line, const char *text) {
  while (*text != 0 && line->length < sizeof line->text - 1) line->text[line->length++] = *text++;
}

static void add_hexadecimal(struct line *line, uintptr_t number) {
  char digits[2 * sizeof number + 1], *first = digits + sizeof digits - 1;
  *first = 0;
  do *--first = "0123456789abcdef"[number % 16];
  while ((number /= 16) != 0);
  add(line, "0x");
  add(line, first);
}

static struct line begin(const char *what) {
  struct line line = {.length = 0};
  add(&line, program_name);
  add(&line, what);
  return line;
}

static void end(struct line *line) {
  line->text[line->length++] = '\n';
  // There is nobody left to tell that it cannot be told.
  ssize_t ignored = write(STDERR_FILENO, line->text, line->length);
  (void)ignored;
}

static void report_signal(int number) {
  struct line line = begin(": trap: ");
  for (size_t i = 0; i < SIGNALS; i++)
    if (signals[i].number == number) add(&line, signals[i].name);
  add(&line, " in build ");
  add(&line, build_id);
  add(&line, ", deploy/symbolize names files and lines");
  end(&line);
}

static void report_frame(uintptr_t address) {
  struct line line = begin(": frame: ");
  uintptr_t start = (uintptr_t)&__ehdr_start;
  if (address < start || address >= (uintptr_t)_end)
    add(&line, "outside");
  else
    add_hexadecimal(&line, address - start);
  end(&line);
}

// Frame pointers form a list from the trap up the stack: {caller's frame, return address}. What is
// not higher than the one before is not of that list: a library uses the register for itself.
static void report_frames(const ucontext_t *context) {
#if defined(__x86_64__)
  uintptr_t instruction = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  uintptr_t frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
  uintptr_t stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
  uintptr_t instruction = context->uc_mcontext.pc;
  uintptr_t frame = context->uc_mcontext.regs[29];
  uintptr_t stack = context->uc_mcontext.sp;
#endif
  const uintptr_t last = (uintptr_t)__libc_stack_end - 2 * sizeof(uintptr_t);
  report_frame(instruction);
  for (int i = 1; i < FRAMES_MAX; i++) {
    if (frame < stack || frame > last || frame % sizeof frame != 0) break;
    const uintptr_t *record = (const uintptr_t *)frame;
    if (record[1] == 0) break;
    report_frame(record[1] - 1);  // inside the call, not after it
    stack = frame + 1;
    frame = record[0];
  }
}

static void handle(int number, siginfo_t *information, void *context) {
  (void)information;
  report_signal(number);
  report_frames(context);
  if (final_action != NULL) final_action();
  // SA_RESETHAND restored the default, which ends the process when this handler returns.
  raise(number);
}

static void read_build_id(void) {
  const char *start = (const char *)&__ehdr_start;
  const ElfW(Phdr) *header = (const void *)(start + __ehdr_start.e_phoff);
  for (const ElfW(Phdr) *end = header + __ehdr_start.e_phnum; header < end; header++) {
    if (header->p_type != PT_NOTE) continue;
    const char *note = start + header->p_vaddr, *end_of_notes = note + header->p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end_of_notes) {
      const ElfW(Nhdr) *fields = (const void *)note;
      const char *name = note + sizeof *fields, *content = name + (fields->n_namesz + 3) / 4 * 4;
      if (fields->n_type == NT_GNU_BUILD_ID && fields->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
        size_t bytes = fields->n_descsz < BUILD_ID_MAX ? fields->n_descsz : BUILD_ID_MAX;
        for (size_t i = 0; i < bytes; i++) {
          build_id[2 * i] = "0123456789abcdef"[(content[i] >> 4) & 15];
          build_id[2 * i + 1] = "0123456789abcdef"[content[i] & 15];
        }
        build_id[2 * bytes] = 0;
        return;
      }
      note = content + (fields->n_descsz + 3) / 4 * 4;
    }
  }
}

int tactus_report_traps(const char *program, void (*finally)(void)) {
  program_name = program;
  final_action = finally;
  read_build_id();
  stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
  if (sigaltstack(&stack, NULL) < 0) return -errno;
  struct sigaction action = {
      .sa_sigaction = handle,
      .sa_flags = SA_SIGINFO | SA_ONSTACK | (int)SA_RESETHAND,
  };
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < SIGNALS; i++)
    if (sigaction(signals[i].number, &action, NULL) < 0) return -errno;
  return 0;
}
