/// Receives accounting requests of network access servers.
@NullMarked
package io.viaduct.radius.server;

import org.jspecify.annotations.NullMarked;
