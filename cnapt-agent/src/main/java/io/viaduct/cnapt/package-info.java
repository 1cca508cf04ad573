/// The device's agent (CNAPT): carries the device's traffic to a SNAPT and keeps its sockets alive
/// across every change of network. This package is the composition root: command line,
/// configuration, start and stop.
@NullMarked
package io.viaduct.cnapt;

import org.jspecify.annotations.NullMarked;
