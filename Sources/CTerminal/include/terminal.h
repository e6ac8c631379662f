// SPDX-License-Identifier: Apache-2.0
//
// The terminal. ncurses works on globals and macros (stdscr, ERR, getch), which Swift does not
// import.
//
// A full screen is given back on every way out: terminal_close, the signals that end a program
// (reported by terminal_wait), and a trap, whose handler restores it before the earlier one runs.
#ifndef CTERMINAL_TERMINAL_H
#define CTERMINAL_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/// A style is one colour and any of the attributes.
enum terminal_style {
  TERMINAL_PLAIN = 0,
  TERMINAL_RED = 1,
  TERMINAL_GREEN = 2,
  TERMINAL_YELLOW = 3,
  TERMINAL_CYAN = 4,
  TERMINAL_COLOURS = 7,  // the bits of the colour
  TERMINAL_BOLD = 8,
  TERMINAL_DIM = 16,
  TERMINAL_REVERSE = 32,
};

enum terminal_key {
  TERMINAL_NO_KEY = -1,
  TERMINAL_UP = 0x110000,  // above every character
  TERMINAL_DOWN,
  TERMINAL_RESIZED,
};

/// What terminal_wait saw, bit by bit.
enum terminal_event {
  TERMINAL_KEYS = 1,        // keys wait, or the size changed
  TERMINAL_DESCRIPTOR = 2,  // the descriptor is ready
  TERMINAL_ENDING = 4,      // a signal asks the program to end, or the terminal is gone
};

/// Takes the characters of the user's locale, or of UTF-8 where none is set; nothing else of it.
/// Answers whether they are UTF-8.
bool terminal_locale(void);
bool terminal_is(int descriptor);
/// Columns of the terminal behind a descriptor; 0 when it is none or does not say.
int terminal_columns_of(int descriptor);

/// Takes the screen; false when TERM names no terminal that can do it.
bool terminal_open(bool colour);
/// Gives the screen back.
void terminal_close(void);
int terminal_rows(void);
int terminal_columns(void);
void terminal_erase(void);
void terminal_write(int row, int column, const char *text, int style);
/// Makes what was written visible: only what differs is sent.
void terminal_show(void);
/// The next key, without waiting.
int32_t terminal_next_key(void);

/// Catches the signals that end a program, so that terminal_wait reports them.
bool terminal_catch_signals(void);
/// Ends the program by the signal that was caught, as if it had not been; does nothing without one.
void terminal_end_by_signal(void);
/// Sleeps until a key (unless keys is false), something to read from the descriptor, or a signal.
int terminal_wait(bool keys, int descriptor);
/// The same for so long at most, -1 is for ever; without a descriptor (-1) for the others alone.
int terminal_wait_at_most(bool keys, int descriptor, int milliseconds);

#endif
