/// Reloads the configuration of a running process at SIGHUP, in the same way for all processes.
@NullMarked
package io.viaduct.service.reload;

import org.jspecify.annotations.NullMarked;
