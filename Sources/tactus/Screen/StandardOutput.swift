// SPDX-License-Identifier: Apache-2.0

import TactusLinux

/// Where verbs write; the policy too has outputs, which are ways to the ear.
typealias StandardOutput = TactusLinux.Output
