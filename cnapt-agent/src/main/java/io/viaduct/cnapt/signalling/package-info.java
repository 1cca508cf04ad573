/// Obtains the session token that a SNAPT asks for: by SIP from the bridge, or from a file.
@NullMarked
package io.viaduct.cnapt.signalling;

import org.jspecify.annotations.NullMarked;
