/// The clock of this machine, compared with those of its peers.
@NullMarked
package io.viaduct.service.clock;

import org.jspecify.annotations.NullMarked;
