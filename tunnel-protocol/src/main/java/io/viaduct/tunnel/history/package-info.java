/// Shared history: what both ends remember of the plain text that crossed the tunnel, the
/// dictionary epochs that they make of it, and which codec is worth its time.
@NullMarked
package io.viaduct.tunnel.history;

import org.jspecify.annotations.NullMarked;
