// SPDX-License-Identifier: Apache-2.0

/// The version of this source tree.
public let tactusVersion = "0.1.0"
