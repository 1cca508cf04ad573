/// Sending rate of a session: the peer's receipts, the path's rate computed from them, and the
/// token bucket that keeps to it.
@NullMarked
package io.viaduct.tunnel.pacing;

import org.jspecify.annotations.NullMarked;
