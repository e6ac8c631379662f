// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP};
static const int trap_signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
enum { ENDING_COUNT = 3, TRAP_COUNT = 6 };

static int signal_pipe[2] = {-1, -1};
static volatile sig_atomic_t ended_by;
static struct sigaction before_trap[TRAP_COUNT];

// What gives the screen back without ncurses, which a signal handler may not call.
static struct termios first_settings;
static char restoring[256];
static size_t restoring_length;
static bool is_open;
static bool has_colour;

bool terminal_locale(void) {
  const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  bool chosen = false;
  for (int i = 0; i < 3; i++) {
    const char *value = getenv(names[i]);
    if (value && *value) chosen = true;
  }
  if (!setlocale(LC_CTYPE, chosen ? "" : "C.UTF-8")) setlocale(LC_CTYPE, "C");
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool terminal_is(int descriptor) { return isatty(descriptor); }

int terminal_columns_of(int descriptor) {
  struct winsize size;
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void on_ending(int number) {
  int kept = errno;
  ended_by = number;
  ssize_t ignored = write(signal_pipe[1], "", 1);
  (void)ignored;
  errno = kept;
}

static void restore_raw(void) {
  ssize_t ignored = write(STDOUT_FILENO, restoring, restoring_length);
  (void)ignored;
  tcsetattr(STDIN_FILENO, TCSANOW, &first_settings);
}

static void on_trap(int number) {
  if (is_open) restore_raw();
  for (int i = 0; i < TRAP_COUNT; i++) {
    if (trap_signals[i] == number) sigaction(number, &before_trap[i], NULL);
  }
  // Delivered to the earlier handler on return, at the very place where the program was.
  raise(number);
}

bool terminal_catch_signals(void) {
  if (signal_pipe[0] >= 0) return true;
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) < 0) return false;
  struct sigaction action = {.sa_handler = on_ending, .sa_flags = SA_RESTART};
  sigset_t ending;
  sigemptyset(&ending);
  for (int i = 0; i < ENDING_COUNT; i++) {
    struct sigaction before;
    sigaction(ending_signals[i], NULL, &before);
    // nohup and shells without job control ignore some, and mean it.
    if (before.sa_handler == SIG_IGN) continue;
    sigaction(ending_signals[i], &action, NULL);
    sigaddset(&ending, ending_signals[i]);
  }
  // A parent may have blocked them, and a child inherits that.
  sigprocmask(SIG_UNBLOCK, &ending, NULL);
  return true;
}

static void catch_traps(void) {
  // On the stack that TrapReporter has set up, if it has.
  struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_ONSTACK};
  for (int i = 0; i < TRAP_COUNT; i++) sigaction(trap_signals[i], &action, &before_trap[i]);
}

static void keep(const char *capability) {
  char *text = tigetstr(capability);
  if (!text || text == (char *)-1) return;
  size_t length = strlen(text);
  if (restoring_length + length > sizeof restoring) return;
  memcpy(restoring + restoring_length, text, length);
  restoring_length += length;
}

bool terminal_open(bool colour) {
  if (tcgetattr(STDIN_FILENO, &first_settings) < 0) return false;
  // Before newterm, which leaves alone the signals that somebody handles.
  if (!terminal_catch_signals()) return false;
  if (!newterm(NULL, stdout, stdin)) return false;
  is_open = true;
  restoring_length = 0;
  keep("sgr0");
  keep("cnorm");
  keep("rmkx");
  keep("rmcup");
  catch_traps();
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, true);
  nodelay(stdscr, true);
  // Over a slow link the parts of an arrow key may come one after the other.
  set_escdelay(100);
  curs_set(0);
  has_colour = colour && has_colors();
  if (has_colour) {
    start_color();
    short behind = use_default_colors() == OK ? -1 : COLOR_BLACK;
    init_pair(TERMINAL_RED, COLOR_RED, behind);
    init_pair(TERMINAL_GREEN, COLOR_GREEN, behind);
    init_pair(TERMINAL_YELLOW, COLOR_YELLOW, behind);
    init_pair(TERMINAL_CYAN, COLOR_CYAN, behind);
  }
  return true;
}

void terminal_close(void) {
  if (!is_open) return;
  endwin();
  is_open = false;
  for (int i = 0; i < TRAP_COUNT; i++) sigaction(trap_signals[i], &before_trap[i], NULL);
}

void terminal_end_by_signal(void) {
  if (!ended_by) return;
  signal(ended_by, SIG_DFL);
  raise(ended_by);
}

int terminal_rows(void) { return LINES; }

int terminal_columns(void) { return COLS; }

void terminal_erase(void) { erase(); }

void terminal_write(int row, int column, const char *text, int style) {
  attr_t attributes = A_NORMAL;
  if (style & TERMINAL_BOLD) attributes |= A_BOLD;
  if (style & TERMINAL_DIM) attributes |= A_DIM;
  if (style & TERMINAL_REVERSE) attributes |= A_REVERSE;
  if (has_colour) attributes |= COLOR_PAIR(style & TERMINAL_COLOURS);
  attrset(attributes);
  mvaddstr(row, column, text);
  attrset(A_NORMAL);
}

void terminal_show(void) { refresh(); }

int32_t terminal_next_key(void) {
  int key = getch();
  switch (key) {
  case ERR: return TERMINAL_NO_KEY;
  case KEY_UP: return TERMINAL_UP;
  case KEY_DOWN: return TERMINAL_DOWN;
  case KEY_RESIZE: return TERMINAL_RESIZED;
  default: return key;
  }
}

int terminal_wait(bool keys, int descriptor) { return terminal_wait_at_most(keys, descriptor, -1); }

int terminal_wait_at_most(bool keys, int descriptor, int milliseconds) {
  struct pollfd polled[] = {
    {.fd = signal_pipe[0], .events = POLLIN},
    {.fd = keys ? STDIN_FILENO : -1, .events = POLLIN},
    {.fd = descriptor, .events = POLLIN},
  };
  // A window that changed its size interrupts; ncurses then has a key that says so.
  if (poll(polled, 3, milliseconds) < 0) return errno == EINTR ? TERMINAL_KEYS : TERMINAL_ENDING;
  int seen = 0;
  if (polled[0].revents) seen |= TERMINAL_ENDING;
  if (polled[1].revents & POLLIN) seen |= TERMINAL_KEYS;
  if (polled[1].revents & (POLLHUP | POLLERR | POLLNVAL)) seen |= TERMINAL_ENDING;
  if (polled[2].revents) seen |= TERMINAL_DESCRIPTOR;
  return seen;
}
