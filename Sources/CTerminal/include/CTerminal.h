// SPDX-License-Identifier: Apache-2.0
#ifndef CTERMINAL_H
#define CTERMINAL_H

#endif
