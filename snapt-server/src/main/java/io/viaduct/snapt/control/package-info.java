/// The TLS control connection: who may open a session, with which keys, and for how long
/// (docs/protocol.md section 5).
@NullMarked
package io.viaduct.snapt.control;

import org.jspecify.annotations.NullMarked;
