// SPDX-License-Identifier: Apache-2.0
#ifndef CTACTUS_H
#define CTACTUS_H

#endif
