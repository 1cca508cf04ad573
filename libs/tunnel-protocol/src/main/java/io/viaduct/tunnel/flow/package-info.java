/// Inner flows: the five-tuple table, header contexts that are sent only once, counters per flow.
@NullMarked
package io.viaduct.tunnel.flow;

import org.jspecify.annotations.NullMarked;
