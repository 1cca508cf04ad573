/// The agent's own look-ups of names: outside the tunnel, kept for as long as they hold and longer.
@NullMarked
package io.viaduct.cnapt.naming;

import org.jspecify.annotations.NullMarked;
