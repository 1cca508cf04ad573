/// Diameter (RFC 6733) as a library. `dictionary` knows AVPs and commands, `message` reads and
/// writes bytes, `peer` keeps connections, `queue` keeps requests on disk, `accounting` is the Rf
/// client and `credit` has the messages of Ro.
@NullMarked
package io.viaduct.diameter;

import org.jspecify.annotations.NullMarked;
