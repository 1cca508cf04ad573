/// Processes of this host: the one that a flow belongs to, and the start of a program.
@NullMarked
package io.viaduct.host.process;

import org.jspecify.annotations.NullMarked;
