/// Two agents that tunnel to each other without a SNAPT: their configuration, and the end that
/// listens.
@NullMarked
package io.viaduct.cnapt.peer;

import org.jspecify.annotations.NullMarked;
