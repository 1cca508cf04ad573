/// Many sessions on one SNAPT: the cost of an idle session, and the throughput of all.
@NullMarked
package io.viaduct.testbed.sessions;

import org.jspecify.annotations.NullMarked;
