// SPDX-License-Identifier: Apache-2.0
//
// All state of the core is plain: bytes without references. So a tick cannot allocate, a state can
// be kept and compared as bytes, and a trace can hold a checkpoint.

/// A value that is nothing but its bytes.
public typealias Plain = BitwiseCopyable & Sendable
