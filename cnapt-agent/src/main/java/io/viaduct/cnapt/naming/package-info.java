/// The agent's own name look-ups outside the tunnel, and the resolvers of the device's
/// applications.
@NullMarked
package io.viaduct.cnapt.naming;

import org.jspecify.annotations.NullMarked;
