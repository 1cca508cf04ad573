/// The TLS control connection: it opens sessions, agrees their keys and limits their duration
/// (docs/protocol.md section 5).
@NullMarked
package io.viaduct.snapt.control;

import org.jspecify.annotations.NullMarked;
