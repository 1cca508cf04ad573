/// How fast a session sends: what the peer reports of arrivals, the rate of the path that follows
/// from it, and the bucket that holds to it.
@NullMarked
package io.viaduct.tunnel.pacing;

import org.jspecify.annotations.NullMarked;
